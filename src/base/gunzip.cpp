// SPDX-License-Identifier: BSD-3-Clause
#include "base/gunzip.h"

#include <new>

namespace colltree {

namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, gzip's header and checksums

}  // namespace

Gunzip::Gunzip() {
  if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

bool Gunzip::is_gzip(std::string_view start) { return start.starts_with(kMagic); }

// True when what is left can be the start of a member; its second byte may be in the next piece.
bool Gunzip::next_member() {
  if (stream_.next_in[0] != static_cast<unsigned char>(kMagic[0])) return false;
  inflateReset(&stream_);
  at_end_ = false;
  return true;
}

Gunzip::State Gunzip::append(std::string_view compressed, std::string& content,
                             std::uint64_t most_bytes) {
  stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(compressed.data()));
  stream_.avail_in = static_cast<unsigned>(compressed.size());
  compressed_bytes_ += compressed.size();
  while (stream_.avail_in > 0) {
    if (at_end_ && !next_member()) return State::kTrailed;
    unsigned char piece[1 << 16];
    int code = Z_OK;
    do {
      stream_.next_out = piece;
      stream_.avail_out = sizeof piece;
      code = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t got = sizeof piece - stream_.avail_out;
      if (content.size() + got > most_bytes) return State::kTooLong;
      content.append(reinterpret_cast<const char*>(piece), got);
    } while (code == Z_OK && stream_.avail_out == 0);
    if (code == Z_STREAM_END) at_end_ = true;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return State::kDamaged;
  }
  return State::kGood;
}

}  // namespace colltree
