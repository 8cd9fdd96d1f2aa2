// SPDX-License-Identifier: BSD-3-Clause
// Whole files, with errors that name the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
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

// 128-bit content hash (XXH3) in hexadecimal: identity of platform files and imports, not security.
std::string content_hash(std::string_view content);

}  // namespace colltree
