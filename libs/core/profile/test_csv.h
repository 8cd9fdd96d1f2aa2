// SPDX-License-Identifier: BSD-3-Clause
// Tests parse a whole CSV text at once here; programs read it line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "profile/csv.h"

namespace colltree::profile {

// All rows of the text, or ParseError.
inline std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file) {
  std::vector<CsvRow> rows;
  CsvReader reader(file, [&](const CsvRow& row) { rows.push_back(row); });
  LineSplitter lines(file, [&](std::string_view line) { reader.line(line); });
  lines.add(text);
  lines.end();
  reader.end();
  return rows;
}

}  // namespace colltree::profile
