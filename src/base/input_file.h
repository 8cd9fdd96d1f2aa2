// SPDX-License-Identifier: BSD-3-Clause
// Reads a file, whole or in pieces (read_file in file.h says what holds).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/gunzip.h"

namespace colltree {

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& name);  // opens it; throws Error

  std::string read(std::uint64_t most_bytes) const;  // throws Error
  // The same content in pieces of at most 64 MB, however long it is. Throws Error, and what `take`
  // throws.
  void each_piece(const std::function<void(std::string_view piece)>& take) const;

 private:
  [[noreturn]] void fail(std::string_view why) const;
  void look_at_kind();
  std::string first_piece() const;
  std::string next_piece() const;
  void unpack(Gunzip& gunzip, std::string_view piece, std::string& content,
              std::uint64_t most_bytes) const;
  void check_expansion(const Gunzip& gunzip, std::uint64_t bytes) const;
  [[noreturn]] void refuse_length(std::uint64_t most_bytes) const;
  std::string read_plain(std::string piece, std::uint64_t most_bytes) const;
  std::string read_gzip(std::string piece, std::uint64_t most_bytes) const;

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;  // of a regular file
};

}  // namespace colltree
