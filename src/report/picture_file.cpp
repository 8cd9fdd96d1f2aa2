// SPDX-License-Identifier: BSD-3-Clause
#include "report/picture_file.h"

#include <fmt/format.h>

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

std::string converted(const std::string& svg, double scale, const fs::path& target) {
  const TransientFolder folder;
  const fs::path drawn = folder.path() / "drawn.svg";
  const fs::path png = folder.path() / "drawn.png";
  write_file(drawn, svg);
  std::string said;
  Worker worker(
      {kConverter, "--zoom", fmt::format("{:g}", scale), "--output", png.string(), drawn.string()});
  constexpr double kTimeout_s = 120;
  worker.read_all(
      kTimeout_s, [](std::string_view) {},
      [&](std::string_view line) {
        if (said.empty()) said = line;
      });
  const std::string failure = worker.wait();
  if (failure.empty() && fs::exists(png)) return read_file(png);
  throw Error(
      fmt::format("{}: a PNG needs the program {} (Debian: librsvg2-bin): {}; or name a "
                  "file that ends in .svg",
                  target.string(), kConverter, said.empty() ? failure : said));
}

}  // namespace

void check_picture_name(const fs::path& path) {
  if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
    throw UsageError(fmt::format("{}: the name of a picture ends in .svg or .png", path.string()));
  check_writable(path);
}

void write_picture(const fs::path& path, const std::string& svg, double scale) {
  check_picture_name(path);
  write_file(path, ends_in(path, ".svg") ? svg : converted(svg, scale, path));
}

}  // namespace colltree
