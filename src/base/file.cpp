// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"

namespace colltree {

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw Error(fmt::format("{}: is a directory, not a file", path.string()));
  }
  // gzopen reads plain files as they are.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw Error(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const int got = gzread(file.get(), buffer, sizeof buffer);
    if (got < 0) throw Error(fmt::format("{}: cannot read: damaged or unreadable", path.string()));
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) {
    throw Error(fmt::format("{}: cannot read: the compressed file is cut short", path.string()));
  }
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = fmt::format("{}.tmp{}", path.string(), ::getpid());
  const auto fail = [&](int error) {
    ::unlink(temporary.c_str());
    throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(error)));
  };
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(errno);
  for (std::string_view rest = content; !rest.empty();) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(fd);
      fail(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(fd) != 0) fail(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
}

TransientFile::TransientFile(std::filesystem::path path) : path_(std::move(path)) {}

TransientFile::TransientFile(std::filesystem::path path, std::string_view content)
    : path_(std::move(path)) {
  write_file(path_, content);
}

TransientFile::~TransientFile() { ::unlink(path_.c_str()); }

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace colltree
