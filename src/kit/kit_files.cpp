// SPDX-License-Identifier: BSD-3-Clause
#include "kit/kit_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolder = "colltree-kit/";

// Where following the includes starts. What only a linker finds stands here, too.
constexpr const char* kStarts[] = {"measure/rank/main_mpi.cpp",   "measure/rank/cell_buffers.cpp",
                                   "measure/rank/load_guard.cpp", "measure/rank/witness_here.cpp",
                                   "base/json_writer.cpp",        "kit/kit_main.cpp",
                                   "kit/stand_ins/fmt/core.h"};
// Of these folders every source: it registers itself, or belongs to a header of another name.
constexpr const char* kFolders[] = {"algorithms", "coll"};

// Included, but only for the simulator.
constexpr std::string_view kSimulated = "measure/rank/simulated_environment";

bool is_source(const fs::path& file) {
  return file.extension() == ".cpp" && !file.stem().string().ends_with("_test");
}

class Followed {
 public:
  explicit Followed(fs::path source) : source_(std::move(source)) {}

  void follow(const std::string& name) {
    if (name.starts_with(kSimulated) || files_.contains(name)) return;
    const std::string& text = files_[name] = read_file(source_ / name);
    for (const std::string_view line : split(text, '\n')) {
      constexpr std::string_view kInclude = "#include \"";
      if (!line.starts_with(kInclude)) continue;
      const std::string_view rest = line.substr(kInclude.size());
      follow(std::string(rest.substr(0, rest.find('"'))));
    }
    fs::path body = name;
    if (body.extension() == ".h" && fs::exists(source_ / body.replace_extension(".cpp")))
      follow(body.string());
  }

  void follow_sources_of(const std::string& folder) {
    for (const auto& entry : fs::directory_iterator(source_ / folder)) {
      if (is_source(entry.path())) follow(folder + "/" + entry.path().filename().string());
    }
  }

  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  fs::path source_;
  std::map<std::string, std::string> files_;  // name in src: content
};

}  // namespace

std::vector<ArchiveFile> kit_files(const fs::path& root, const KitPlan& plan) {
  Followed followed(root / "src");
  for (const char* start : kStarts) followed.follow(start);
  for (const char* folder : kFolders) followed.follow_sources_of(folder);
  std::vector<ArchiveFile> files = {{"Makefile", read_file(root / "src/kit/files/Makefile")},
                                    {"README", read_file(root / "src/kit/files/README")},
                                    {"LICENSE", read_file(root / "LICENSE")},
                                    {"plan", write_kit_plan(plan)}};
  for (const auto& [name, content] : followed.files()) files.push_back({"src/" + name, content});
  for (ArchiveFile& file : files) file.name.insert(0, kFolder);
  return files;
}

fs::path kit_root() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& root : {here / COLLTREE_KIT_FROM_BIN, fs::path(COLLTREE_KIT_SOURCE)}) {
    std::error_code absent;
    const fs::path found = fs::canonical(root, absent);
    if (!absent && fs::exists(found / "src/kit/kit_main.cpp")) return found;
  }
  throw Error(fmt::format("the sources of a kit are not in {}; cmake --install puts them there",
                          (here / COLLTREE_KIT_FROM_BIN).lexically_normal().string()));
}

}  // namespace colltree
