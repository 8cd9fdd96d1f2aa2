// SPDX-License-Identifier: BSD-3-Clause
// Decompresses a gzip stream (RFC 1952) piece by piece: one member or several, and nothing behind
// them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace colltree {

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

}  // namespace colltree
