// SPDX-License-Identifier: BSD-3-Clause
// Fields of one line of CSV (RFC 4180), as people open it in spreadsheets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

// A text as a field: quoted if it holds a comma, a quote or a blank at an end. A spreadsheet would
// calculate a text that begins with = + - or @, so it gets an apostrophe in front, and so does a
// text that already looks like that. split_csv removes the apostrophe.
std::string csv_field(std::string_view text);
// The same, always quoted.
std::string csv_quoted(std::string_view text);

// The texts of a line without its end, which csv_field wrote or a person did; nothing when a quote
// has no end or stands inside a field that is not quoted.
std::optional<std::vector<std::string>> split_csv(std::string_view line);

}  // namespace colltree
