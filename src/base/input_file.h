// SPDX-License-Identifier: BSD-3-Clause
// Reads a file, whole or in pieces (read_file in file.h says what holds).
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace colltree {

// Decompresses a gzip stream (RFC 1952) piece by piece: one member or several, and nothing behind
// them.
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  static bool is_gzip(std::string_view start);  // by the magic number

  enum class State : std::uint8_t {
    kGood,
    kDamaged,  // wrong data, checksum or length
    kTooLong,  // `content` would be larger than asked for
    kTrailed,  // behind the last member is something that is no gzip member
  };

  // Appends what `compressed`, the next piece, holds to `content`, at most `most_bytes` in all.
  State append(std::string_view compressed, std::string& content, std::uint64_t most_bytes);

  bool at_end() const { return at_end_; }  // of a member: the stream may end here
  std::uint64_t compressed_bytes() const { return compressed_bytes_; }

 private:
  bool next_member();

  z_stream stream_{};
  std::uint64_t compressed_bytes_ = 0;
  bool at_end_ = false;
};

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
