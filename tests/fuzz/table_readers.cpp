// SPDX-License-Identifier: BSD-3-Clause
// Tables of text that people, jobs and tune write: timings, mixes and records of calls, rounds of
// verification.
#include <string>
#include <vector>

#include "deploy/side_by_side_log.h"
#include "profile/csv.h"
#include "reader.h"
#include "timings/call_mix.h"

namespace colltree::fuzz {
namespace {

void read_csv(std::string_view input) {
  const std::string text = canonical_csv(parse_csv(input, "timings.csv"));
  require(canonical_csv(parse_csv(text, "again.csv")) == text,
          "timings written again are the same rows");
}

void read_mix(std::string_view input) {
  for (const CallCount& one : parse_call_mix(input, "mix.csv")) {
    require(one.calls > 0, "a mix has calls above 0");
  }
}

void read_record(std::string_view input) {
  is_call_record(input);
  const CallRecord record = parse_call_record(input, "calls.csv");
  require(record.ranks_covered <= record.ranks, "no more ranks are covered than there are");
}

void read_verification(std::string_view input) {
  const SideBySideLog log = parse_side_by_side(std::string(input), "verification.csv");
  const std::string text = side_by_side_text(log);
  require(side_by_side_text(parse_side_by_side(text, "again.csv")) == text,
          "rounds written again are the same rounds");
}

}  // namespace

std::vector<Reader> table_readers() {
  return {{"csv", read_csv},
          {"mix", read_mix},
          {"record", read_record},
          {"verification", read_verification}};
}

}  // namespace colltree::fuzz
