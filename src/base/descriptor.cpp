// SPDX-License-Identifier: BSD-3-Clause
#include "base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

Descriptor::~Descriptor() { close(); }

int Descriptor::write_all(std::string_view content) const {
  while (!content.empty()) {
    const ssize_t written = ::write(number_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? errno : 0;
}

int close_copy(int file) {
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && ::close(copy) != 0 ? errno : 0;
}

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;  // as Linux

bool begins_with(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// /proc/PID/fd, or that of a thread.
bool holds_own_descriptors(const fs::path& folder) {
  return folder.filename() == "fd" && begins_with(folder, fmt::format("/proc/{}", ::getpid()));
}

}  // namespace

FollowedPath follow(const fs::path& path) {
  fs::path at = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) return {at, std::nullopt};
    const fs::path found = folder / at.filename();
    if (holds_own_descriptors(folder)) return {found, parse_number<int>(at.filename().string())};
    if (begins_with(folder, "/proc") || !fs::is_symlink(found, error)) return {found, std::nullopt};
    const fs::path target = fs::read_symlink(found, error);
    if (error) return {found, std::nullopt};
    at = folder / target;  // an absolute target stands alone
  }
  throw Error(
      fmt::format("{}: its symbolic links lead to each other; name another file", path.string()));
}

}  // namespace colltree
