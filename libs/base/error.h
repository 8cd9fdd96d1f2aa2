// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string_view>

namespace colltree {

// A mistake that the user can fix: one line that names the place and the remedy. Exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command line itself is wrong. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The command did a part of the work; when it is run again later, it does the next part. Exit code
// kUnfinishedCode.
class Unfinished : public Error {
 public:
  using Error::Error;
};
inline constexpr int kUnfinishedCode = 3;

// A file does not follow its format: "FILE:LINE: expected X, got 'Y'".
class ParseError : public Error {
 public:
  ParseError(std::string_view file, std::size_t line, std::string_view expected,
             std::string_view got);
  ParseError(std::string_view file, std::size_t line, std::string_view message);
};

}  // namespace colltree
