// SPDX-License-Identifier: BSD-3-Clause
// Tables of text that people, jobs and tune write: timings, mixes and records of calls, rounds of
// verification; and how any of them is unpacked.
#include <string>
#include <vector>

#include "base/input.h"
#include "deploy/side_by_side_log.h"
#include "profile/csv.h"
#include "profile/test_csv.h"
#include "reader.h"
#include "timings/call_mix.h"

namespace colltree::fuzz {
namespace {

void read_csv(std::string_view input) {
  const std::string text = canonical_csv(profile::parse_csv(input, "timings.csv"));
  require(canonical_csv(profile::parse_csv(text, "again.csv")) == text,
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
  const deploy::SideBySideLog log =
      deploy::parse_side_by_side(std::string(input), "verification.csv");
  const std::string text = side_by_side_text(log);
  require(side_by_side_text(deploy::parse_side_by_side(text, "again.csv")) == text,
          "rounds written again are the same rounds");
}

// The same in one piece and in pieces of as many bytes as the last byte says.
void read_gzip(std::string_view input) {
  const unsigned piece = 1 + take_choice(input);
  constexpr std::uint64_t kMost = 1U << 16U;
  Gunzip whole, cut;
  std::string content, cut_content;
  const Gunzip::State state = whole.append(input, content, kMost);
  Gunzip::State cut_state = Gunzip::State::kGood;
  while (!input.empty() && cut_state == Gunzip::State::kGood) {
    cut_state = cut.append(input.substr(0, piece), cut_content, kMost);
    input.remove_prefix(std::min<std::size_t>(piece, input.size()));
  }
  require(cut_state == state, "in pieces it ends as in one");
  require(content.size() <= kMost, "no more is unpacked than was asked for");
  if (state != Gunzip::State::kGood) return;
  require(cut_content == content && cut.at_end() == whole.at_end(), "in pieces it is the same");
}

}  // namespace

std::vector<Reader> table_readers() {
  return {{"csv", read_csv},
          {"mix", read_mix},
          {"record", read_record},
          {"verification", read_verification},
          {"gzip", read_gzip}};
}

}  // namespace colltree::fuzz
