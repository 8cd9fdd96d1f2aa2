// SPDX-License-Identifier: BSD-3-Clause
// Whole files read and written, with errors that name the path and the reason; open files, and
// where paths lead. read_file and content_hash are defined in input.cpp: programs that only write
// files are built without zlib and xxHash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;    // timings, cases, plans
inline constexpr std::uint64_t kMostModelBytes = std::uint64_t{64} << 20;  // models, rules, mixes

// The bytes of a file; a gzip file (by its magic number) is decompressed: all its members, and
// nothing may stand behind them. Also of a pipe, a terminal, a descriptor (/dev/stdin) and the null
// device; other devices never end and are refused. Throws Error, also when the content is longer
// than `most_bytes`, before more than that is in memory, or more than 100 times as long as the gzip
// file.
std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);

// Writes the whole file; what is lost on the way (full disk, quota) is an Error.
// A regular file, also behind symbolic links, is replaced in one step: a reader never sees half of
// it, and a full disk leaves the old content. It keeps its mode, owner and access lists. Where this
// cannot be (several hard links, an owner who cannot be kept, a folder that cannot be written,
// devices, pipes, /dev/stdout, /dev/fd/3) the file that is there is written.
void write_file(const std::filesystem::path& path, std::string_view content);

// Throws Error where write_file is sure to: no name, a directory, no permission. For long work that
// ends in a file.
void check_writable(const std::filesystem::path& path);

// A file that is there for no longer than this object.
class TransientFile {
 public:
  // Takes the place of what a killed program may have left there. Throws Error.
  TransientFile(std::filesystem::path path, std::string_view content);
  ~TransientFile();
  TransientFile(const TransientFile&) = delete;
  TransientFile& operator=(const TransientFile&) = delete;

  std::string name() const { return path_.string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Makes the folder and those above it; one that is there is left. Throws Error.
void make_folder(const std::filesystem::path& folder);

// A folder of ours in the system's one for temporary files, for no longer than this object, with
// all that is in it.
class TransientFolder {
 public:
  TransientFolder();  // throws Error
  ~TransientFolder();
  TransientFolder(const TransientFolder&) = delete;
  TransientFolder& operator=(const TransientFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// An open file that is closed with this object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}  // -1: none
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Both return 0 or the error number. A delayed error (quota, network file system) shows at close.
  int write_all(std::string_view content) const;
  int close();

 private:
  int number_;
};

// Makes delayed errors of an open file known, which network file systems and quotas tell only when
// a file is closed; it stays open. 0 or the error number.
int close_copy(int file);

// Where a path leads when it is opened.
struct FollowedPath {
  // Behind all symbolic links; nothing need be there (a dangling link). A link of /proc to an open
  // file of another process stays, because what it reads as need not be a path.
  std::filesystem::path path;
  // The path names an open file of this process: /dev/stdout, /dev/fd/3, /proc/self/fd/3.
  std::optional<int> descriptor;
};

// Where nothing can be followed (no such folder, no permission) the path itself: opening it says
// why. Throws Error when links lead to each other for ever.
FollowedPath follow(const std::filesystem::path& path);

// 128-bit content hash (XXH3) in hexadecimal: identity of platform files and imports, not security.
std::string content_hash(std::string_view content);

}  // namespace colltree
