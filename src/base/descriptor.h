// SPDX-License-Identifier: BSD-3-Clause
// Opening files: where a path leads, and what is closed again.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace colltree {

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
