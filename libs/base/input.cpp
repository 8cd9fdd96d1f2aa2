// SPDX-License-Identifier: BSD-3-Clause
#include "base/input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, gzip's header and checksums

}  // namespace

Gunzip::Gunzip() : stream_(std::make_unique<z_stream_s>()) {
  if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(stream_.get()); }

bool Gunzip::is_gzip(std::string_view start) { return start.starts_with(kMagic); }

// True if the rest can be the start of a member, whose second byte may be in the next piece.
bool Gunzip::next_member() {
  if (stream_->next_in[0] != static_cast<unsigned char>(kMagic[0])) return false;
  inflateReset(stream_.get());
  at_end_ = false;
  return true;
}

Gunzip::State Gunzip::append(std::string_view compressed, std::string& content,
                             std::uint64_t most_bytes) {
  stream_->next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(compressed.data()));
  stream_->avail_in = static_cast<unsigned>(compressed.size());
  compressed_bytes_ += compressed.size();
  while (stream_->avail_in > 0) {
    if (at_end_ && !next_member()) return State::kTrailed;
    unsigned char piece[1 << 16];
    int code = Z_OK;
    do {
      stream_->next_out = piece;
      stream_->avail_out = sizeof piece;
      code = inflate(stream_.get(), Z_NO_FLUSH);
      const std::size_t got = sizeof piece - stream_->avail_out;
      if (content.size() + got > most_bytes) return State::kTooLong;
      content.append(reinterpret_cast<const char*>(piece), got);
    } while (code == Z_OK && stream_->avail_out == 0);
    if (code == Z_STREAM_END) at_end_ = true;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return State::kDamaged;
  }
  return State::kGood;
}

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

// Only zeros compress by 230:1 to 1030:1; tables of numbers compress by 10:1 or 20:1.
constexpr std::uint64_t kMostExpansion = 100;
constexpr std::uint64_t kMostPieceBytes = kPieceBytes * 1100;
constexpr std::uint64_t kAlwaysExpanded = std::uint64_t{64} << 20;

// /dev/stdin may be a socket, which cannot be opened by a name.
int open_input(const std::filesystem::path& name) {
  const FollowedPath target = follow(name);
  return target.descriptor ? ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                           : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& name);  // opens it; throws Error

  std::uint64_t size() const { return size_; }

  // Passes on pieces of at most kMostPieceBytes. Throws Error, also when the content is longer than
  // `most_bytes`, before the rest is in memory.
  void each_piece(std::uint64_t most_bytes,
                  const std::function<void(std::string_view piece)>& take) const;

 private:
  [[noreturn]] void fail(std::string_view why) const;
  void check_kind();
  std::string first_piece() const;
  std::string next_piece() const;
  void each_unpacked(std::string piece, std::uint64_t most_bytes,
                     const std::function<void(std::string_view piece)>& take) const;
  void unpack(Gunzip& gunzip, std::string_view piece, std::string& content,
              std::uint64_t bytes_before, std::uint64_t most_bytes) const;

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;  // of a regular file
};

InputFile::InputFile(const std::filesystem::path& name)
    : name_(name.string()), file_(open_input(name)) {
  if (name.empty()) throw Error("no file to read is named: its name is empty");
  if (!file_.is_open())
    throw Error(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
  check_kind();
}

void InputFile::fail(std::string_view why) const {
  throw Error(fmt::format("{}: cannot read: {}", name_, why));
}

// Refuses directories and devices that never end.
void InputFile::check_kind() {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a directory, not a file", name_));
  const bool ends =  // the null device, or a terminal
      S_ISCHR(status.st_mode) && (status.st_rdev == makedev(1, 3) || ::isatty(file_.number()) == 1);
  if ((S_ISCHR(status.st_mode) && !ends) || S_ISBLK(status.st_mode))
    throw Error(fmt::format("{}: is a device, not a file; name a file or a pipe", name_));
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
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

// Two bytes identify a gzip file; a pipe may deliver them one at a time.
std::string InputFile::first_piece() const {
  std::string start = next_piece();
  if (start.size() == 1) start += next_piece();
  return start;
}

void InputFile::each_piece(std::uint64_t most_bytes,
                           const std::function<void(std::string_view)>& take) const {
  const auto check_length = [&](std::uint64_t bytes) {
    if (bytes > most_bytes)
      fail(fmt::format("longer than {}; name another file or split it", format_bytes(most_bytes)));
  };
  check_length(size_);
  std::string piece = first_piece();
  if (Gunzip::is_gzip(piece)) return each_unpacked(std::move(piece), most_bytes, take);
  for (std::uint64_t bytes = 0; !piece.empty(); piece = next_piece()) {
    check_length(bytes += piece.size());
    take(piece);
  }
}

void InputFile::each_unpacked(std::string piece, std::uint64_t most_bytes,
                              const std::function<void(std::string_view)>& take) const {
  Gunzip gunzip;
  std::string content;
  for (std::uint64_t bytes = 0; !piece.empty(); piece = next_piece()) {
    content.clear();
    unpack(gunzip, piece, content, bytes, most_bytes);
    bytes += content.size();
    take(content);
  }
  if (!gunzip.at_end()) fail("the compressed file is cut short");
}

void InputFile::unpack(Gunzip& gunzip, std::string_view piece, std::string& content,
                       std::uint64_t bytes_before, std::uint64_t most_bytes) const {
  const std::uint64_t most_here = std::min(most_bytes - bytes_before, kMostPieceBytes);
  switch (gunzip.append(piece, content, most_here)) {
    case Gunzip::State::kGood:
      break;
    case Gunzip::State::kDamaged:
      fail("the compressed file is damaged; fetch it again");
    case Gunzip::State::kTooLong:
      fail(fmt::format("its compressed content is longer than {}; name another file or split it",
                       format_bytes(most_bytes)));
    case Gunzip::State::kTrailed:
      fail("other bytes follow the compressed content; fetch it again, or decompress it first");
  }
  const std::uint64_t bytes = bytes_before + content.size();
  if (bytes <= kAlwaysExpanded || bytes / kMostExpansion <= gunzip.compressed_bytes()) return;
  fail(
      fmt::format("its content is more than {} times as long as the compressed file; "
                  "decompress it first if that is meant",
                  kMostExpansion));
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const InputFile file(path);
  std::string content;
  content.reserve(std::min(file.size(), most_bytes));
  file.each_piece(most_bytes, [&content](std::string_view piece) { content += piece; });
  return content;
}

void read_pieces(const std::filesystem::path& path,
                 const std::function<void(std::string_view)>& take) {
  InputFile(path).each_piece(std::numeric_limits<std::uint64_t>::max(), take);
}

std::string_view without_byte_order_mark(std::string_view text, std::string_view file) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ParseError(file, 1, "this is UTF-16; write it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::string start(count, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(count));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
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

std::string content_hash(std::string_view content) {
  ContentHasher hasher;
  hasher.add(content);
  return hasher.hash();
}

}  // namespace colltree
