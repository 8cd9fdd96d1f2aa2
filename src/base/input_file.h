// SPDX-License-Identifier: BSD-3-Clause
// Reads a whole file (read_file in file.h says what holds).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/descriptor.h"

namespace colltree {

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& name);  // opens it; throws Error

  std::string read(std::uint64_t most_bytes) const;  // throws Error

 private:
  [[noreturn]] void fail(std::string_view why) const;
  void look_at_kind();
  std::string next_piece() const;
  [[noreturn]] void refuse_length(std::uint64_t most_bytes) const;
  std::string read_plain(std::string piece, std::uint64_t most_bytes) const;
  std::string read_gzip(std::string piece, std::uint64_t most_bytes) const;

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;  // of a regular file
};

}  // namespace colltree
