// SPDX-License-Identifier: BSD-3-Clause
#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

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

}  // namespace colltree
