// SPDX-License-Identifier: BSD-3-Clause
// A decision map for people (text) and programs (JSON, CSV); docs/formats/map.md.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "timings/decision_map.h"

namespace colltree {

struct MethodShare {
  std::size_t method;  // index into DecisionMap::methods
  std::size_t cells;   // where it is the best, interpolated cells included
};

// The methods that win somewhere, most cells first.
std::vector<MethodShare> method_shares(const DecisionMap& map);

// The letter of a method in a map by its place in the legend; '#' beyond the 62 there are.
char map_letter(std::size_t rank);
// Message sizes written downwards above columns of `width` characters, behind `indent` blanks; as
// many lines as the longest has characters.
std::string column_titles(const std::vector<std::uint64_t>& message_sizes, std::size_t indent,
                          std::size_t width);

// Rows are communicator sizes, columns message sizes, one letter a cell with "'" after an
// interpolated one and '"' after one whose best time was predicted; then a legend with the cells
// and the share of each method.
std::string map_text(const DecisionMap& map);

Json map_json(const DecisionMap& map);

// collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us
std::string map_csv(const DecisionMap& map);

}  // namespace colltree
