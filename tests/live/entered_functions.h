// SPDX-License-Identifier: BSD-3-Clause
// Records which functions of a loaded library are entered, without support by the library: each
// function gets a breakpoint on its first instruction, as a debugger sets it, which is removed at
// the first hit. Functions are found in the library's symbol table; a stripped library has none.
// Linux on x86-64; elsewhere nothing is recorded.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree::test {

// Watches the functions of the library that contains the address `inside`, by their names. Once in
// a process: it takes over SIGTRAP. Cost: a system call a function, then a signal for each that is
// entered.
void watch_functions(const void* inside, const std::function<bool(std::string_view)>& is_watched);

// From here on, and what was entered since then: names in the order of the first entry.
void start_watching();
std::vector<std::string> stop_watching();

}  // namespace colltree::test
