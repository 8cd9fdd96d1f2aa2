// SPDX-License-Identifier: BSD-3-Clause
// The standard streams of a program, which may be closed, full, or a pipe without a reader. Results
// go to standard output, with fmt::print or write_output; losing one is an error. Other messages go
// to standard error, with `say`; losing them never matters.
#pragma once

#include <functional>
#include <string_view>

namespace colltree {

// Must be called first in main(). It opens closed streams, so that no file gets their numbers and
// every write to them fails. Writing to a pipe without a reader, or beyond a file size limit,
// becomes an error of that write instead of a signal; children can be waited for.
void prepare_streams();

// For a child before exec: restores the signals that prepare_streams changed.
void restore_signals();

// Writes to standard error, without adding a newline; failures are ignored.
void say(std::string_view text);

// To standard output, likewise. Throws std::system_error, which with_output makes an Error of.
void write_output(std::string_view text);

// Writes everything that was printed to its destination. Throws Error when that fails. When a pipe
// has lost its reader ("| head"), the program ends here silently by SIGPIPE, as others do.
void finish_output();

// Does the work, then finish_output. A write that fails within it is the Error of finish_output.
void with_output(const std::function<void()>& work);

}  // namespace colltree
