// SPDX-License-Identifier: BSD-3-Clause
// Contents that come in pieces, so that nobody need hold the whole of them: their lines, their
// hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace colltree {

// A text behind its byte order mark of UTF-8, where it has one. Throws ParseError for UTF-16.
std::string_view without_byte_order_mark(std::string_view text, std::string_view file);

// read_file (file.h) of a text that people write, without its byte order mark.
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
