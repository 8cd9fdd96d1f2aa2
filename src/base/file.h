// SPDX-License-Identifier: BSD-3-Clause
// Files as they are written, with errors that name the path and the reason; open files, and where
// paths lead. Reading is apart (input.h): programs that only write are built without zlib and
// xxHash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

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

}  // namespace colltree
