// SPDX-License-Identifier: BSD-3-Clause
// The first answer that a person wants of timings: for each class of message sizes the library's
// own choice, the best method beside it, what is chosen, and what that gains. `tune` ends with it,
// and `show FOLDER` prints it of a campaign that still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree::evaluate {

// One class of message sizes of one collective, at the instances where the library's own choice has
// a time.
struct AnswerRow {
  Collective collective = Collective::kBcast;
  std::uint64_t least_bytes = 0;  // of the instances
  std::uint64_t most_bytes = 0;
  double default_us = 0;  // geometric mean
  std::string best;       // the one method that loses least in the class; "": there is none
  std::string chosen;     // "Binomial_0K", "4 methods"; "": nothing chooses yet
  // Of what is chosen, else of the best: its time over the default's, minus 1, as a geometric mean
  // over the instances, with the 95 % interval of that mean. Chosen at the measured points that it
  // is judged by, a method can look better than it is: the verification tells.
  double versus_default = 0;
  std::optional<Interval> interval;
};

// The 95 % interval of a versus_default: of the mean of logarithms, so that half and twice the time
// cancel each other.
std::optional<Interval> versus_default_interval(const PenaltyPoints& points);

// Rows by class of message sizes (runs.h). `choose` may be empty. Classes without a
// measured default or method have no row. Cost: one look at every time of the class a method.
std::vector<AnswerRow> answer_of(const Timings& timings, const Chooser& choose);

// The rows where most can be gained, at most `most` of them, in their order.
std::vector<AnswerRow> telling_rows(std::vector<AnswerRow> rows, std::size_t most);

Table answer_table(const std::vector<AnswerRow>& rows);

}  // namespace colltree::evaluate
