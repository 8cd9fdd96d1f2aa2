// SPDX-License-Identifier: BSD-3-Clause
#include "report/picture_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "measure/worker.h"

namespace colltree {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConverter = "rsvg-convert";

bool ends_in(const fs::path& path, const char* extension) {
  return lower(path.extension().string()) == extension;
}

void convert(const fs::path& svg, const fs::path& png, double scale, const fs::path& target) {
  std::string said;
  Worker worker(
      {kConverter, "--zoom", fmt::format("{:g}", scale), "--output", png.string(), svg.string()});
  constexpr double kTimeout_s = 120;
  worker.read(
      kTimeout_s, [] { return false; }, [](std::string_view) {},
      [&](std::string_view line) {
        if (said.empty()) said = line;
      });
  const std::string failure = worker.wait();
  if (failure.empty() && fs::exists(png)) return;
  throw Error(
      fmt::format("{}: a PNG needs the program {} (Debian: librsvg2-bin): {}; or name a "
                  "file that ends in .svg",
                  target.string(), kConverter, said.empty() ? failure : said));
}

}  // namespace

void check_picture_name(const fs::path& path) {
  if (ends_in(path, ".svg") || ends_in(path, ".png")) return;
  throw UsageError(fmt::format("{}: the name of a picture ends in .svg or .png", path.string()));
}

void write_picture(const fs::path& path, const std::string& svg, double scale) {
  check_picture_name(path);
  if (ends_in(path, ".svg")) return write_file(path, svg);
  // Beside the result: that folder can be written, and the last step is a rename within it.
  const auto sibling = [&](const char* extension) {
    return path.string() + fmt::format(".{}{}", getpid(), extension);
  };
  const TransientFile drawn(sibling(".svg"), svg);
  const TransientFile converted(sibling(".png"));
  convert(drawn.path(), converted.path(), scale, path);
  fs::rename(converted.path(), path);
}

}  // namespace colltree
