// SPDX-License-Identifier: BSD-3-Clause
#include "measure/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace colltree {

namespace fs = std::filesystem;

namespace {

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::vector<fs::path> platform_folders() {
  return {program_folder() / "../share/colltree/platforms", COLLTREE_PLATFORM_DIR};
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
      did_you_mean(name, names), fmt::join(names, ", ")));
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
  const std::string xml = read_file(platform.file);
  if (xml.find("<platform") == std::string::npos) {
    throw Error(fmt::format("{}: is not a SimGrid platform file (no <platform> element)",
                            platform.file.string()));
  }
  platform.name = platform.file.stem();
  platform.hash = content_hash(xml);
  platform.title = property(xml, "colltree/title").value_or(platform.name);
  platform.grid = property(xml, "colltree/grid");
  return platform;
}

fs::path find_program(const std::string& name) {
  for (const char* folder : {".", "..", "../libexec/colltree"}) {
    const fs::path file = program_folder() / folder / name;
    if (fs::exists(file)) return fs::canonical(file);
  }
  throw Error(fmt::format(
      "the program {} was not built; install its MPI library (tools/install_dependencies.sh) "
      "and build again",
      name));
}

}  // namespace colltree
