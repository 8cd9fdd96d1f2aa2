// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace colltree {

// The base of what has one owner that stays where it is.
struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;
};

}  // namespace colltree
