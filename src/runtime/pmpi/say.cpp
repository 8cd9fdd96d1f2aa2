// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/say.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace colltree {

void say(const char* format, ...) noexcept {
  char line[1024];
  int length = std::snprintf(line, sizeof line, "colltree: ");
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length), format,
                           arguments);
  va_end(arguments);
  length = std::min(length, static_cast<int>(sizeof line) - 1);
  line[length] = '\n';
  // Nobody to tell when this fails.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line, static_cast<std::size_t>(length) + 1);
}

}  // namespace colltree
