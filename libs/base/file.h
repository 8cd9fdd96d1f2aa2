// SPDX-License-Identifier: BSD-3-Clause
// Writing files, with errors that name the path and the reason; open files; and the targets of
// paths. Reading is apart (input.h), so that programs that only write are built without zlib and
// xxHash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/not_copied.h"

namespace colltree {

// Writes the whole file; lost data (full disk, quota) is an Error. A regular file, also behind
// symbolic links, is replaced in one step: a reader never sees half of it, and a full disk leaves
// the old content. It keeps its mode, owner and access lists. A file that cannot be replaced so
// (several hard links, an owner who cannot be kept, a folder that cannot be written, devices,
// pipes, /dev/stdout, /dev/fd/3) is overwritten.
void write_file(const std::filesystem::path& path, std::string_view content);

// Throws Error if write_file is sure to fail: no name, a directory, no permission. For long work
// that ends in a file.
void check_writable(const std::filesystem::path& path);

// A file that exists no longer than this object.
class TransientFile : NotCopied {
 public:
  // Replaces a file that a killed program may have left there. Throws Error.
  TransientFile(std::filesystem::path path, std::string_view content);
  ~TransientFile();

  std::string name() const { return path_.string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Makes the folder and its parents unless they exist. Throws Error.
void make_folder(const std::filesystem::path& folder);

// A new folder in the system's folder for temporary files; it is removed with its content when this
// object is destroyed.
class TransientFolder : NotCopied {
 public:
  TransientFolder();  // throws Error
  ~TransientFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// An open file that is closed with this object.
class Descriptor : NotCopied {
 public:
  explicit Descriptor(int number) : number_(number) {}  // -1: none
  ~Descriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Both return 0 or the error number. A delayed error (quota, network file system) shows at close.
  int write_all(std::string_view content) const;
  int close();

 private:
  int number_;
};

// Reports delayed errors of an open file, which network file systems and quotas report only when a
// file is closed, and leaves it open. Returns 0 or the error number.
int close_copy(int file);

// The target of a path when it is opened.
struct FollowedPath {
  // The path behind all symbolic links; nothing need exist there (a dangling link). A link of /proc
  // to an open file of another process is kept, because its text need not be a path.
  std::filesystem::path path;
  // The path names an open file of this process: /dev/stdout, /dev/fd/3, /proc/self/fd/3.
  std::optional<int> descriptor;
};

// The path itself if it cannot be followed (no such folder, no permission): opening it gives the
// reason. Throws Error when links form a loop.
FollowedPath follow(const std::filesystem::path& path);

}  // namespace colltree
