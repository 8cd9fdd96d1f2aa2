// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace colltree {

// What a file quotes may hold what a terminal would obey.
ParseError::ParseError(std::string_view file, std::size_t line, std::string_view expected,
                       std::string_view got)
    : Error(printable(fmt::format("{}:{}: expected {}, got '{}'", file, line, expected, got))) {}

ParseError::ParseError(std::string_view file, std::size_t line, std::string_view message)
    : Error(printable(fmt::format("{}:{}: {}", file, line, message))) {}

}  // namespace colltree
