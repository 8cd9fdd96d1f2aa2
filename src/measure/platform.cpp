// SPDX-License-Identifier: BSD-3-Clause
#include "measure/platform.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/bounds.h"
#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "measure/placement.h"

namespace colltree {

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

std::vector<std::string> known_platforms() {
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

fs::path locate(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name.ends_with(".xml")) return name;
  for (const fs::path& folder : platform_folders()) {
    const fs::path file = folder / fmt::format("{}.xml", name);
    if (fs::exists(file)) return file;
  }
  const std::vector<std::string> names = known_platforms();
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
        fmt::format("{}: has no <zone> and so no hosts to simulate; docs/simulation.md "
                    "says what a platform needs",
                    platform.file.string()));
  }
  platform.name = platform.file.stem();
  platform.hash = content_hash(xml);
  platform.title = property(xml, "colltree/title").value_or(platform.name);
  platform.grid = property(xml, "colltree/grid");
  platform.selector = property(xml, "smpi/coll-selector").value_or(platform.selector);
  if (const auto ranks = property(xml, "colltree/ranks_per_node")) {
    platform.ranks_per_node = parse_whole(
        *ranks, kRanksPerNode, fmt::format("{}: colltree/ranks_per_node", platform.file.string()));
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

}  // namespace colltree
