// SPDX-License-Identifier: BSD-3-Clause
#include "base/lines.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

std::string_view without_byte_order_mark(std::string_view text, std::string_view file) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ParseError(file, 1, "this is UTF-16; write it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return std::string(without_byte_order_mark(read_file(path, most_bytes), path.string()));
}

LineSplitter::LineSplitter(std::string file, std::function<void(std::string_view)> take)
    : file_(std::move(file)), take_(std::move(take)) {}

void LineSplitter::emit(std::string_view line) {
  if (++number_ == 1) line = without_byte_order_mark(line, file_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  take_(line);
}

void LineSplitter::add(std::string_view piece) {
  for (;;) {
    const std::size_t newline = piece.find('\n');
    if (begun_.size() + std::min(newline, piece.size()) > kMostLineBytes) {
      throw ParseError(file_, number_ + 1,
                       fmt::format("this line is longer than {}: the file is no table of text",
                                   format_bytes(kMostLineBytes)));
    }
    if (newline == std::string_view::npos) break;
    if (begun_.empty()) {
      emit(piece.substr(0, newline));
    } else {
      begun_ += piece.substr(0, newline);
      emit(begun_);
      begun_.clear();
    }
    piece.remove_prefix(newline + 1);
  }
  begun_ += piece;
}

void LineSplitter::end() {
  if (!begun_.empty()) emit(begun_);
  begun_.clear();
}

struct ContentHasher::State {
  XXH3_state_t xxh;  // aligned to 64 bytes, which its type says
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}

ContentHasher::~ContentHasher() = default;

void ContentHasher::add(std::string_view piece) {
  XXH3_128bits_update(&state_->xxh, piece.data(), piece.size());
}

std::string ContentHasher::hash() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace colltree
