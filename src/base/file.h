// SPDX-License-Identifier: BSD-3-Clause
// Whole files, with errors that name the path and the reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace colltree {

// The bytes of a file; a gzip file (by its magic number) is decompressed. Throws Error.
std::string read_file(const std::filesystem::path& path);

// Replaces the file in one step (temporary file, then rename): a reader never sees half of it, and
// a full disk leaves the old content. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view content);

// A file that is there for no longer than this object.
class TransientFile {
 public:
  explicit TransientFile(std::filesystem::path path);  // that another program is going to write
  TransientFile(std::filesystem::path path, std::string_view content);  // as write_file
  ~TransientFile();
  TransientFile(const TransientFile&) = delete;
  TransientFile& operator=(const TransientFile&) = delete;

  std::string name() const { return path_.string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// 128-bit content hash (XXH3) in hexadecimal: identity of platform files and imports, not security.
std::string content_hash(std::string_view content);

}  // namespace colltree
