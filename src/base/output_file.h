// SPDX-License-Identifier: BSD-3-Clause
// How the whole content of a file reaches its place (write_file in file.h says what holds).
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string_view>

#include "base/followed_path.h"

namespace colltree {

class OutputFile {
 public:
  // Throws Error when nothing can be written there: no name, a directory, no permission.
  explicit OutputFile(std::filesystem::path name);

  void write(std::string_view content) const;  // throws Error

 private:
  [[noreturn]] void fail(int error) const;
  void check_access() const;
  bool can_be_replaced() const;
  bool replace(std::string_view content) const;
  void overwrite(std::string_view content) const;

  std::filesystem::path name_;  // as given, for messages
  FollowedPath target_;
  bool exists_ = false;
  struct stat status_ {};  // when it exists
};

}  // namespace colltree
