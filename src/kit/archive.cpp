// SPDX-License-Identifier: BSD-3-Clause
#include "kit/archive.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "base/error.h"

namespace colltree {

namespace {

constexpr std::size_t kBlock = 512;
// tar warns of files from 1970; any other time that never changes will do.
constexpr unsigned long long kModified = 1767225600;  // 2026-01-01

// Places in a header block (POSIX.1-2001, pax, "ustar Interchange Format").
struct Field {
  std::size_t at;
  std::size_t bytes;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kKind{156, 1}, kMagic{257, 8};

using Header = std::array<char, kBlock>;

void put(Header& header, const Field& field, std::string_view text) {
  std::memcpy(header.data() + field.at, text.data(), std::min(text.size(), field.bytes));
}

void put_octal(Header& header, const Field& field, unsigned long long value) {
  put(header, field, fmt::format("{:0{}o}", value, field.bytes - 1));
}

std::string header_of(const ArchiveFile& file) {
  if (file.name.size() > kName.bytes)
    throw Error(fmt::format("{}: the name is too long for a tar file", file.name));
  Header header{};
  put(header, kName, file.name);
  put_octal(header, kMode, 0644);
  put_octal(header, kOwner, 0);
  put_octal(header, kGroup, 0);
  put_octal(header, kSize, file.content.size());
  put_octal(header, kTime, kModified);
  put(header, kKind, "0");
  put(header, kMagic, std::string_view("ustar\00000", 8));
  put(header, kSum, "        ");
  const auto sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned before, char c) {
    return before + static_cast<unsigned char>(c);
  });
  put(header, kSum, fmt::format("{:06o}", sum));
  header[kSum.at + 6] = '\0';
  return std::string(header.begin(), header.end());
}

std::string gzip(std::string text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("cannot compress: out of memory");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Error("cannot compress: zlib failed");
  return packed;
}

}  // namespace

std::string tar_gz(const std::vector<ArchiveFile>& files) {
  std::string tar;
  for (const ArchiveFile& file : files) {
    tar += header_of(file) + file.content;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');  // the end
  return gzip(std::move(tar));
}

}  // namespace colltree
