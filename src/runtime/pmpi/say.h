// SPDX-License-Identifier: BSD-3-Clause
// The only thing this library ever prints: one line on standard error, "colltree: ...".
#pragma once

namespace colltree {

// As printf; without the final newline. Longer lines are cut.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace colltree
