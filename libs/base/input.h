// SPDX-License-Identifier: BSD-3-Clause
// Reading files, with errors that name the path and the reason: as a whole, or in pieces so that
// the whole content need not be in memory; decompressed, as lines, as a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/not_copied.h"

struct z_stream_s;  // zlib.h

namespace colltree {

inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;    // timings, cases, plans
inline constexpr std::uint64_t kMostModelBytes = std::uint64_t{64} << 20;  // models, rules, mixes

// The bytes of a file. A gzip file (by its magic number) is decompressed: all its members, and
// nothing may follow them. Pipes, terminals, descriptors (/dev/stdin) and the null device can be
// read, too; other devices never end and are refused. Throws Error, also when the content is longer
// than `most_bytes` (before more than that is in memory) or more than 100 times as long as the gzip
// file.
std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);

// The content that read_file would give, in pieces of at most 72 MB, however long it is.
// Throws Error, and what `take` throws.
void read_pieces(const std::filesystem::path& path,
                 const std::function<void(std::string_view piece)>& take);

// Decompresses a gzip stream (RFC 1952) piece by piece: one or more members, with nothing after
// them.
class Gunzip : NotCopied {
 public:
  Gunzip();
  ~Gunzip();

  static bool is_gzip(std::string_view start);  // by the magic number

  enum class State : std::uint8_t {
    kGood,
    kDamaged,  // wrong data, checksum or length
    kTooLong,  // `content` would be larger than asked for
    kTrailed,  // behind the last member is something that is no gzip member
  };

  // Appends the content of `compressed`, the next piece, to `content`, up to `most_bytes` in total.
  State append(std::string_view compressed, std::string& content, std::uint64_t most_bytes);

  bool at_end() const { return at_end_; }  // of a member: the stream may end here
  std::uint64_t compressed_bytes() const { return compressed_bytes_; }

 private:
  bool next_member();

  std::unique_ptr<z_stream_s> stream_;
  std::uint64_t compressed_bytes_ = 0;
  bool at_end_ = false;
};

// The text without the byte order mark of UTF-8, if it has one. Throws ParseError for UTF-16.
std::string_view without_byte_order_mark(std::string_view text, std::string_view file);

// The first bytes of a regular file, at most `count`, to recognise it; "" of anything else, because
// bytes taken from a pipe would be missing to the next reader.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

// read_file for a text that a person wrote, without its byte order mark.
std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);

class LineSplitter {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

  // `take` gets each line without its end ("\n" or "\r\n"), the first also without a byte order
  // mark. `file` is for messages.
  LineSplitter(std::string file, std::function<void(std::string_view line)> take);

  // Takes the next piece. Throws ParseError for a line longer than kMostLineBytes, and the
  // exceptions of `take`.
  void add(std::string_view piece);
  // Call it after the last piece: text after the last line end is a line, too.
  void end();

 private:
  void emit(std::string_view line);

  std::string file_;
  std::function<void(std::string_view)> take_;
  std::string begun_;  // a line whose end has not come yet
  std::size_t number_ = 0;
};

// 128-bit content hash (XXH3) in hexadecimal: identity of platform files and imports, not security.
std::string content_hash(std::string_view content);
// The same hash for a content that comes in pieces.
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
