// SPDX-License-Identifier: BSD-3-Clause
#include "measure/platform.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/bounds.h"
#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/random.h"
#include "base/text.h"
#include "protocol/plan.h"

namespace colltree::measure {

namespace fs = std::filesystem;

namespace {

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::vector<fs::path> platform_folders() {
  return {program_folder() / COLLTREE_PLATFORMS_FROM_BIN, COLLTREE_PLATFORM_DIR};
}

// The build tree, that of a test, and an installed tree.
std::vector<fs::path> program_folders() {
  const fs::path here = program_folder();
  return {here, here.parent_path(), here / COLLTREE_LIBEXEC_FROM_BIN};
}

fs::path locate(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name.ends_with(".xml")) return name;
  for (const fs::path& folder : platform_folders()) {
    const fs::path file = folder / fmt::format("{}.xml", name);
    if (fs::exists(file)) return file;
  }
  const std::vector<std::string> names = platform_names();
  throw Error(fmt::format(
      "unknown platform '{}'{}; known are {}, or give the path of a SimGrid platform file", name,
      did_you_mean(name, names), join(names, ", ")));
}

// The value of <prop id="KEY" value="..."/>.
std::optional<std::string> property(std::string_view xml, std::string_view key) {
  const std::size_t id = xml.find(fmt::format("<prop id=\"{}\"", key));
  if (id == std::string_view::npos) return std::nullopt;
  const std::size_t value = xml.find("value=\"", id);
  if (value == std::string_view::npos) return std::nullopt;
  const std::size_t begin = value + 7;
  return std::string(xml.substr(begin, xml.find('"', begin) - begin));
}

}  // namespace

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : platform_folders()) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
      if (entry.path().extension() == ".xml") names.push_back(entry.path().stem());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Platform find_platform(std::string_view name_or_path) {
  Platform platform;
  platform.file = locate(name_or_path);
  const std::string xml = read_file(platform.file, kMostModelBytes);
  if (xml.find("<platform") == std::string::npos) {
    throw Error(fmt::format("{}: is not a SimGrid platform file (no <platform> element)",
                            platform.file.string()));
  }
  // SimGrid ends with a segmentation fault on a platform without a zone.
  if (xml.find("<zone") == std::string::npos) {
    throw Error(
        fmt::format("{}: has no <zone> and so no hosts to simulate; docs/tasks/simulating.md "
                    "says what a platform needs",
                    platform.file.string()));
  }
  platform.name = platform.file.stem();
  platform.hash = content_hash(xml);
  platform.title = property(xml, "colltree/title").value_or(platform.name);
  platform.grid = property(xml, "colltree/grid");
  platform.selector = property(xml, "smpi/coll-selector").value_or(platform.selector);
  if (const auto ranks = property(xml, "colltree/ranks_per_node")) {
    platform.ranks_per_node =
        parse_whole(*ranks, protocol::kRanksPerNode,
                    fmt::format("{}: colltree/ranks_per_node", platform.file.string()));
  }
  return platform;
}

std::optional<fs::path> try_program(const std::string& name) {
  for (const fs::path& folder : program_folders()) {
    std::error_code absent;
    const fs::path file = fs::canonical(folder / name, absent);
    if (!absent) return file;
  }
  return std::nullopt;
}

fs::path find_program(const std::string& name) {
  if (const auto file = try_program(name)) return *file;
  std::vector<std::string> folders;
  for (const fs::path& folder : program_folders()) folders.push_back(folder.lexically_normal());
  throw Error(
      fmt::format("the program {} is not in {}; it is built where its MPI library is installed "
                  "(tools/install_dependencies.sh), and copied with colltree by cmake --install",
                  name, join(folders, ", ")));
}

namespace {

// Quartiles of the standard normal distribution lie at +-0.67449.
constexpr double kQuartile = 0.6744897501960817;

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// The words of --noise.
struct Word {
  std::string_view name;
  RealRange range;
  double NoiseModel::*value;
};

constexpr Word kWords[] = {{"spread", {0, 1000}, &NoiseModel::spread},
                           {"outliers", {0, 1}, &NoiseModel::outliers},
                           {"factor", {1, 1e6}, &NoiseModel::outlier_factor}};

void read_word(std::string_view name, std::string_view value, std::string_view part,
               NoiseModel& noise) {
  for (const Word& word : kWords) {
    if (name != word.name) continue;
    noise.*word.value = parse_real(value, word.range, fmt::format("--noise: {}", name));
    return;
  }
  if (name != "seed") {
    throw UsageError(
        fmt::format("--noise: '{}' is not understood; write off or "
                    "spread=0.05,outliers=0.01,factor=10,seed=1",
                    part));
  }
  noise.seed = parse_whole(value, {}, "--noise: seed");
}

}  // namespace

NoiseModel parse_noise(std::string_view text) {
  NoiseModel noise;
  if (text == "off") return noise;
  std::set<std::string_view> seen;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("--noise: {}: given twice; give it once", name));
    read_word(name, equals == std::string_view::npos ? "" : part.substr(equals + 1), part, noise);
  }
  return noise;
}

std::string format_noise(const NoiseModel& noise) {
  if (noise.off()) return "off";
  return fmt::format("spread={},outliers={},factor={},seed={}", format_double(noise.spread),
                     format_double(noise.outliers), format_double(noise.outlier_factor),
                     noise.seed);
}

double noise_factor(const NoiseModel& noise, std::string_view cell, std::uint64_t repetition) {
  if (noise.off()) return 1;
  std::uint64_t state = splitmix(noise.seed ^ splitmix(hash_text(cell) + repetition));
  const double first = uniform(state);
  const double second = uniform(state = splitmix(state));
  // Log-normal: times have a floor and a tail. sinh(q s) = spread / 2 makes the quartile range
  // exact.
  const double sigma = std::asinh(noise.spread / 2) / kQuartile;
  double factor = std::exp(sigma * normal_of(first, second));
  if (uniform(state = splitmix(state)) < noise.outliers) {
    factor *= 1 + (noise.outlier_factor - 1) * uniform(splitmix(state));
  }
  return factor;
}

}  // namespace colltree::measure
