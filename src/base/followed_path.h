// SPDX-License-Identifier: BSD-3-Clause
// Where a path leads when it is opened.
#pragma once

#include <filesystem>
#include <optional>

namespace colltree {

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
