// SPDX-License-Identifier: BSD-3-Clause
// Text of files and other programs on its way to a terminal or into a file of lines: no control
// character, no byte that is not UTF-8 may get there.
#pragma once

#include <string>
#include <string_view>

namespace colltree {

bool is_utf8(std::string_view text);

// Why `text` cannot be a word of one line: "" (it can), "a control character (0x1B)", "a byte that
// is not UTF-8 (0xE9)". Control characters are also those of Unicode: U+0080 to U+009F, ends of
// lines and paragraphs, and what turns the direction of text around.
std::string unfit_for_line(std::string_view text);

// The same text with what is unfit written as \x1B.
std::string printable(std::string_view text);

}  // namespace colltree
