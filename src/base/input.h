// SPDX-License-Identifier: BSD-3-Clause
// Files as they are read: in pieces, so that nobody needs to hold the whole content, decompressed,
// as lines, as a hash.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace colltree {

// The content that read_file (file.h) would give, in pieces of at most 72 MB, however long it is.
// Throws Error, and what `take` throws.
void read_pieces(const std::filesystem::path& path,
                 const std::function<void(std::string_view piece)>& take);

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

// A text behind its byte order mark of UTF-8, where it has one. Throws ParseError for UTF-16.
std::string_view without_byte_order_mark(std::string_view text, std::string_view file);

// read_file (file.h) of a text that a person wrote, without its byte order mark.
std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);

class LineSplitter {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

  // `take` gets each line without its end, "\n" or "\r\n", the first without a byte order mark.
  // `file` is for messages.
  LineSplitter(std::string file, std::function<void(std::string_view line)> take);

  // The next piece. Throws ParseError for a line longer than kMostLineBytes, and what `take`
  // throws.
  void add(std::string_view piece);
  // There are no more pieces: what stands behind the last end of a line is a line too.
  void end();

 private:
  void emit(std::string_view line);

  std::string file_;
  std::function<void(std::string_view)> take_;
  std::string begun_;  // a line whose end has not come yet
  std::size_t number_ = 0;
};

// content_hash (file.h) of a content that comes in pieces.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();

  void add(std::string_view piece);
  std::string hash() const;  // of all pieces up to now, as content_hash of them in one

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace colltree
