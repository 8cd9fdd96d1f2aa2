// SPDX-License-Identifier: BSD-3-Clause
// The standard streams of a program: they may be closed, full, or a pipe that nobody reads.
// Results go to standard output, with fmt::print; losing one is an error. What is said beside them
// goes to standard error, with `say`; losing it never matters.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string_view>
#include <utility>

namespace colltree {

// The first thing in main(). A stream that is closed is opened so that no file gets its number and
// every write to it fails. Writing to a pipe without a reader, or beyond a file size limit, becomes
// an error of that write instead of a signal; children can be waited for.
void prepare_streams();

// In a child before exec: the signals of prepare_streams as other programs expect them.
void restore_signals();

// To standard error, as it is (no newline is added). Nothing happens when that cannot be written.
void say(std::string_view text);

template <typename First, typename... Rest>
void say(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  say(std::string_view(
      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}

// Brings all that was printed to where it goes. Throws Error when it did not get there. When a pipe
// has lost its reader ("| head"), the program ends here as others do: by SIGPIPE, without a word.
void finish_output();

// Does the work, then finish_output. A fmt::print inside that fails is the Error of finish_output,
// too.
void with_output(const std::function<void()>& work);

}  // namespace colltree
