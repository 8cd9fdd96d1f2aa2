// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include "base/error.h"
#include "model/c45/reader.h"

namespace colltree::c45 {

// Collects what one file does wrong; release 8 gives up at the eleventh.
class ProblemList {
 public:
  ProblemList(std::string_view file, Problems& problems) : file_(file), problems_(problems) {}

  void add(std::size_t line, std::string_view reason) {
    note(line, reason);
    constexpr int kMost = 10;
    if (++count_ > kMost) fail(line, "more than 10 errors, giving up");
  }
  // Does not count towards the limit, as in release 8.
  void note(std::size_t line, std::string_view reason) {
    problems_.push_back(fmt::format("{}:{}: {}", file_, line, reason));
  }
  [[noreturn]] void fail(std::size_t line, std::string_view reason) {
    throw ParseError(file_, line, reason);
  }

 private:
  std::string_view file_;
  Problems& problems_;
  int count_ = 0;
};

}  // namespace colltree::c45
