// SPDX-License-Identifier: BSD-3-Clause
// Every recorded run of release 8 (c45/tests/data/README.md): sizes, errors, estimate, trials, each
// case's class, and the whole trees in float32.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/input.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "base/test_sample.h"
#include "release8/reports.h"

namespace colltree::c45 {
namespace {

const std::string kData = colltree::testing::unpacked_dir().string() + "/c45/";

TrainOptions parse_options(const std::string& text) {
  TrainOptions options;
  options.tree.strict_r8 = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto number = [&] {
      float value = 0;
      words >> value;
      return value;
    };
    if (word == "-m") options.tree.weight = static_cast<int>(number());
    if (word == "-c") options.tree.confidence_percent = number();
    if (word == "-g") options.tree.gain_only = true;
    if (word == "-s") options.tree.group = true;
    if (word == "-p") options.soft_thresholds = true;
    if (word == "-t") options.windowing.trials = static_cast<std::uint64_t>(number());
    if (word == "-w") options.windowing.window = static_cast<std::uint64_t>(number());
    if (word == "-i") options.windowing.increment = static_cast<std::uint64_t>(number());
  }
  return options;
}

Json or_null(const Json& object, const char* field) {
  const Json* found = object.find(field);
  return found == nullptr ? Json() : *found;
}

float single(const Json& value) { return static_cast<float>(value.number()); }

void expect_same_numbers(const Json& ours, const Json& theirs, const std::string& where) {
  for (const char* field : {"items", "err", "cut", "lower", "upper"}) {
    ASSERT_EQ(ours.contains(field), theirs.contains(field)) << where << ' ' << field;
    if (ours.contains(field)) {
      ASSERT_EQ(single(ours[field]), single(theirs[field])) << where << ' ' << field;
    }
  }
  if (theirs.contains("dist")) {
    ASSERT_EQ(ours["dist"].size(), theirs["dist"].size()) << where;
    for (const auto& [label, weight] : theirs["dist"].items()) {
      ASSERT_EQ(ours["dist"].contains(label) ? single(ours["dist"][label]) : 0, single(weight))
          << where << " class " << label;
    }
  }
}

// Trees of the oracle are shallow enough for recursion.
void expect_same_tree(const Json& ours, const Json& theirs, const std::string& where) {
  for (const char* field : {"leaf", "att", "subsets"}) {
    ASSERT_EQ(or_null(ours, field), or_null(theirs, field)) << where << ' ' << field;
  }
  expect_same_numbers(ours, theirs, where);
  const Json our_branches = or_null(ours, "br");
  const Json their_branches = or_null(theirs, "br");
  ASSERT_EQ(our_branches.size(), their_branches.size()) << where;
  for (std::size_t b = 0; b < our_branches.size(); ++b) {
    expect_same_tree(our_branches[b], their_branches[b], fmt::format("{}/{}", where, b));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void expect_same_run(const std::string& split, const Json& record) {
  const std::string set = record["dataset"].text();
  SCOPED_TRACE(set + " " + record["options"].text());
  Problems problems;
  const std::string stem = kData + split + "/" + set;
  Dataset data = read_dataset(stem, problems);
  const Training training = train(data.schema, data.cases, parse_options(record["options"].text()));
  Cases test;
  if (record.contains("test")) {
    test = parse_cases(read_file(stem + ".test"), stem + ".test", data.schema, problems);
  }
  const Json ours = Json::parse(summary_json(data, training, test.size() > 0 ? &test : nullptr));
  for (const char* field :
       {"cases", "nodes_before", "leaves_before", "errors_before", "pct_before", "depth_before",
        "nodes_after", "leaves_after", "errors_after", "pct_after", "depth_after", "estimate_pct",
        "simplified_printed", "empty_leaves_before", "empty_leaves_after"}) {
    EXPECT_EQ(ours[field], record[field]) << field;
  }
  EXPECT_EQ(single(ours["estimated_errors_f32"]), single(record["estimated_errors_f32"]));
  EXPECT_EQ(or_null(ours, "test"), or_null(record, "test"));
  EXPECT_EQ(or_null(ours, "trials"), or_null(record, "trials"));
  const Json tree = Json::parse(read_file(kData + record["tree_json_file"].text()));
  EXPECT_EQ(ours["classes"], tree["classes"]);
  EXPECT_EQ(ours["values"], tree["values"]);
  EXPECT_EQ(ours["pred"], tree["pred"]);
  expect_same_tree(ours["raw"], tree["raw"], "before pruning: ");
  expect_same_tree(ours["pruned"], tree["pruned"], "after pruning: ");
}

void expect_runs(const std::string& split, std::size_t recorded) {
  std::vector<Json> runs;
  for (const Json& record : Json::parse(read_file(kData + split + "/expected.json")))
    if (record["program"] == "C4.5 R8 (c4.5)") runs.push_back(record);
  ASSERT_EQ(runs.size(), recorded);
  for (const std::size_t run : colltree::testing::sampled(recorded))
    expect_same_run(split, runs[run]);
}

TEST(C45Oracle, PublicSetsAgreeWithRelease8) { expect_runs("public", 334); }
TEST(C45Oracle, EdgeSetsAgreeWithRelease8) { expect_runs("edge", 162); }

}  // namespace
}  // namespace colltree::c45
