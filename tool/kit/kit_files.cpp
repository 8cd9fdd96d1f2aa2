// SPDX-License-Identifier: BSD-3-Clause
#include "kit/kit_files.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree::kit {

namespace {

constexpr std::size_t kBlock = 512;
// tar warns of files from 1970; any other time that never changes will do.
constexpr unsigned long long kModified = 1767225600;  // 2026-01-01

// Places in a header block (POSIX.1-2001, pax, "ustar Interchange Format").
struct Field {
  std::size_t offset;
  std::size_t bytes;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kKind{156, 1}, kMagic{257, 8};

using Header = std::array<char, kBlock>;

void put(Header& header, const Field& field, std::string_view text) {
  std::memcpy(header.data() + field.offset, text.data(), std::min(text.size(), field.bytes));
}

void put_octal(Header& header, const Field& field, unsigned long long value) {
  put(header, field, fmt::format("{:0{}o}", value, field.bytes - 1));
}

std::string header_of(const ArchiveFile& file) {
  if (file.name.size() > kName.bytes)
    throw Error(fmt::format("{}: the name is too long for a tar file", file.name));
  Header header{};
  put(header, kName, file.name);
  put_octal(header, kMode, 0644);
  put_octal(header, kOwner, 0);
  put_octal(header, kGroup, 0);
  put_octal(header, kSize, file.content.size());
  put_octal(header, kTime, kModified);
  put(header, kKind, "0");
  put(header, kMagic, std::string_view("ustar\00000", 8));
  put(header, kSum, "        ");
  const auto sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned before, char c) {
    return before + static_cast<unsigned char>(c);
  });
  put(header, kSum, fmt::format("{:06o}", sum));
  header[kSum.offset + 6] = '\0';
  return std::string(header.begin(), header.end());
}

std::string gzip(std::string text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("cannot compress: out of memory");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Error("cannot compress: zlib failed");
  return packed;
}

}  // namespace

std::string tar_gz(const std::vector<ArchiveFile>& files) {
  std::string tar;
  for (const ArchiveFile& file : files) {
    tar += header_of(file) + file.content;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');  // the end
  return gzip(std::move(tar));
}

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolder = "colltree-kit/";

// The search by includes starts here. Sources that only a linker finds are listed, too.
constexpr const char* kStarts[] = {"libs/mpi/rank/main_mpi.cpp", "libs/mpi/rank/cell_buffers.cpp",
                                   "libs/mpi/rank/witness_functions.cpp",
                                   "libs/base/json_writer.cpp", "tool/kit/kit_main.cpp"};
// Every source of these folders is taken: it registers itself, or its header has another name.
constexpr const char* kFolders[] = {"libs/mpi/algorithms", "libs/core/coll"};
// The folders in which the compiler looks for an include; the kit's Makefile has the same.
constexpr const char* kPackages[] = {"libs/", "libs/core/", "libs/mpi/", "tool/"};

// Included, but only for the simulator.
constexpr std::string_view kSimulated = "rank/simulated_environment";

using Sources = std::map<std::string, std::string>;  // name below the root: content

// The place of an included file: below one of the packages.
std::string found(const fs::path& root, const std::string& included) {
  for (const std::string package : kPackages) {
    if (fs::exists(root / (package + included))) return package + included;
  }
  return included;
}

// Adds the source, what it includes, and the bodies of these headers.
void follow(const fs::path& root, const std::string& name, Sources& files) {
  if (files.contains(name)) return;
  const std::string& text = files[name] = read_file(root / name);
  for (const std::string_view line : split(text, '\n')) {
    constexpr std::string_view kInclude = "#include \"";
    if (line.starts_with(kInclude) && !line.substr(kInclude.size()).starts_with(kSimulated))
      follow(root, found(root, std::string(split(line, '"')[1])), files);
  }
  fs::path body = name;
  if (body.extension() == ".h" && fs::exists(root / body.replace_extension(".cpp")))
    follow(root, body.string(), files);
}

}  // namespace

std::vector<ArchiveFile> kit_files(const fs::path& root, const KitPlan& plan) {
  Sources sources;
  for (const char* start : kStarts) follow(root, start, sources);
  for (const std::string folder : kFolders) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".cpp" && !file.stem().string().ends_with("_test"))
        follow(root, folder + "/" + file.filename().string(), sources);
    }
  }
  std::vector<ArchiveFile> files = {{"Makefile", read_file(root / "tool/kit/files/Makefile")},
                                    {"README", read_file(root / "tool/kit/files/README")},
                                    {"LICENSE", read_file(root / "LICENSE")},
                                    {"plan", write_kit_plan(plan)}};
  for (const auto& [name, content] : sources) files.push_back({name, content});
  for (ArchiveFile& file : files) file.name.insert(0, kFolder);
  return files;
}

fs::path kit_root() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& root : {here / COLLTREE_KIT_FROM_BIN, fs::path(COLLTREE_KIT_SOURCE)}) {
    std::error_code absent;
    const fs::path found = fs::canonical(root, absent);
    if (!absent && fs::exists(found / "tool/kit/kit_main.cpp")) return found;
  }
  throw Error(fmt::format("the sources of a kit are not in {}; cmake --install puts them there",
                          (here / COLLTREE_KIT_FROM_BIN).lexically_normal().string()));
}

}  // namespace colltree::kit
