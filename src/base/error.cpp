// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"

#include <fmt/format.h>

namespace colltree {

ParseError::ParseError(std::string_view file, std::size_t line, std::string_view expected,
                       std::string_view got)
    : Error(fmt::format("{}:{}: expected {}, got '{}'", file, line, expected, got)) {}

ParseError::ParseError(std::string_view file, std::size_t line, std::string_view message)
    : Error(fmt::format("{}:{}: {}", file, line, message)) {}

}  // namespace colltree
