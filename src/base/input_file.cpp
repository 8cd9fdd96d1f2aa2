// SPDX-License-Identifier: BSD-3-Clause
#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"

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

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

// Nothing but zeros reaches 230:1 to 1030:1, tables of numbers 10:1 or 20:1.
constexpr std::uint64_t kMostExpansion = 100;
constexpr std::uint64_t kMostPieceBytes = kPieceBytes * 1100;
constexpr std::uint64_t kAlwaysExpanded = std::uint64_t{64} << 20;

// /dev/stdin may be a socket, which cannot be opened by a name.
int open_input(const std::filesystem::path& name) {
  const FollowedPath target = follow(name);
  return target.descriptor ? ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                           : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

bool is_null_device(const struct stat& status) { return status.st_rdev == makedev(1, 3); }

}  // namespace

InputFile::InputFile(const std::filesystem::path& name)
    : name_(name.string()), file_(open_input(name)) {
  if (name.empty()) throw Error("no file to read is named: its name is empty");
  if (!file_.is_open())
    throw Error(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
  look_at_kind();
}

void InputFile::fail(std::string_view why) const {
  throw Error(fmt::format("{}: cannot read: {}", name_, why));
}

// Refuses what is no file and what never ends.
void InputFile::look_at_kind() {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a directory, not a file", name_));
  const bool ends =
      S_ISCHR(status.st_mode) && (is_null_device(status) || ::isatty(file_.number()) == 1);
  if ((S_ISCHR(status.st_mode) && !ends) || S_ISBLK(status.st_mode))
    throw Error(fmt::format("{}: is a device, not a file; name a file or a pipe", name_));
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::refuse_length(std::uint64_t most_bytes) const {
  fail(fmt::format("longer than {}; name another file or split it", format_bytes(most_bytes)));
}

// "" at the end of the file.
std::string InputFile::next_piece() const {
  std::string piece(kPieceBytes, '\0');
  ssize_t got = 0;
  do {
    got = ::read(file_.number(), piece.data(), piece.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(std::strerror(errno));
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

// Two bytes tell a gzip file; a pipe may give them one by one.
std::string InputFile::first_piece() const {
  std::string start = next_piece();
  if (start.size() == 1) start += next_piece();
  return start;
}

void InputFile::each_piece(const std::function<void(std::string_view)>& take) const {
  std::string piece = first_piece();
  if (!Gunzip::is_gzip(piece)) {
    for (; !piece.empty(); piece = next_piece()) take(piece);
    return;
  }
  Gunzip gunzip;
  std::string content;
  std::uint64_t bytes = 0;
  for (; !piece.empty(); piece = next_piece()) {
    content.clear();
    unpack(gunzip, piece, content, kMostPieceBytes);
    bytes += content.size();
    check_expansion(gunzip, bytes);
    take(content);
  }
  if (!gunzip.at_end()) fail("the compressed file is cut short");
}

std::string InputFile::read(std::uint64_t most_bytes) const {
  if (size_ > most_bytes) refuse_length(most_bytes);
  std::string start = first_piece();
  return Gunzip::is_gzip(start) ? read_gzip(std::move(start), most_bytes)
                                : read_plain(std::move(start), most_bytes);
}

std::string InputFile::read_plain(std::string piece, std::uint64_t most_bytes) const {
  std::string content;
  content.reserve(size_);
  for (; !piece.empty(); piece = next_piece()) {
    if (content.size() + piece.size() > most_bytes) refuse_length(most_bytes);
    content += piece;
  }
  return content;
}

void InputFile::unpack(Gunzip& gunzip, std::string_view piece, std::string& content,
                       std::uint64_t most_bytes) const {
  switch (gunzip.append(piece, content, most_bytes)) {
    case Gunzip::State::kGood:
      return;
    case Gunzip::State::kDamaged:
      fail("the compressed file is damaged; fetch it again");
    case Gunzip::State::kTooLong:
      fail(fmt::format("its compressed content is longer than {}; name another file or split it",
                       format_bytes(most_bytes)));
    case Gunzip::State::kTrailed:
      fail("other bytes follow the compressed content; fetch it again, or decompress it first");
  }
}

void InputFile::check_expansion(const Gunzip& gunzip, std::uint64_t bytes) const {
  if (bytes <= kAlwaysExpanded || bytes / kMostExpansion <= gunzip.compressed_bytes()) return;
  fail(
      fmt::format("its content is more than {} times as long as the compressed file; "
                  "decompress it first if that is meant",
                  kMostExpansion));
}

std::string InputFile::read_gzip(std::string piece, std::uint64_t most_bytes) const {
  std::string content;
  Gunzip gunzip;
  for (; !piece.empty(); piece = next_piece()) {
    unpack(gunzip, piece, content, most_bytes);
    check_expansion(gunzip, content.size());
  }
  if (!gunzip.at_end()) fail("the compressed file is cut short");
  return content;
}

}  // namespace colltree
