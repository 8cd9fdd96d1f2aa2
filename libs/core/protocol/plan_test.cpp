// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "protocol/report_line.h"

namespace colltree::protocol {

namespace {

const PlanCell kCell{{Collective::kReduce, 13, 393216}, {"binomial", 8192}};
const PlanCell kPlaced{{Collective::kBcast, 4, 1024, 2, 2}, {"binomial", 8192}};
const PlanCell kDefault{{Collective::kBcast, 2, 1}, {"default", std::nullopt}};
const PlanCell kOurs{{Collective::kBcast, 2, 1}, {"linear", 0}, true};

TEST(Plan, ReadsBackWhatItWrites) {
  const Plan plan{
      {10, 200, 0.05, 0.95, 1.5, 3, 0.25}, {kCell, kPlaced, kDefault, kOurs}, "openmpi"};
  const Plan back = read_plan(write_plan(plan), "plan");
  EXPECT_EQ(back.source, plan.source);
  EXPECT_EQ(back.stop, plan.stop);
  EXPECT_EQ(back.cells, plan.cells);
  EXPECT_EQ(cell_line(kPlaced), "bcast 4/2 1024 binomial 8192");
  EXPECT_EQ(cell_line(kOurs), "bcast 2 1 linear 0 portable");
  EXPECT_EQ(kPlaced.instance, (Instance{Collective::kBcast, 4, 1024, 2, 2}));
}

TEST(Plan, SaysHowFarCellsSideBySideMayDiffer) {
  Plan plan{{}, {kCell}};
  EXPECT_EQ(read_plan(write_plan(plan), "P").at_once, 0);
  plan.at_once = 0.1;
  const std::string text = write_plan(plan);
  EXPECT_EQ(read_plan(text, "P").at_once, 0.1);
  EXPECT_EQ(read_plan(text, "P").cells, plan.cells);
  std::string bad = text;
  bad.replace(bad.find("at_once 0.1"), 11, "at_once x");
  EXPECT_THROW(read_plan(bad, "P"), ParseError);
}

TEST(Plan, EveryTruncationIsRefused) {
  const std::string text = write_plan({{}, {kCell, kPlaced, kDefault}});
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_THROW(read_plan(text.substr(0, length), "plan"), Error) << length;
  }
}

TEST(Plan, NumbersHaveBounds) {
  const auto refusal = [](const std::string& stop, const std::string& cell) {
    try {
      read_plan("colltree-plan 2\nsource portable\nstop " + stop + "\n" + cell + "\nend\n", "P");
      return std::string();
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
  };
  const std::string stop = "1 1 0.05 0.95 1 0 0";
  const std::string cell = "bcast 2 8 binomial 0";
  EXPECT_EQ(refusal(stop, cell), "");
  EXPECT_EQ(refusal("0 1 0.05 0.95 1 0 0", cell),
            "P:3: expected a whole number from 1 to 1000000, got '0'");
  EXPECT_EQ(refusal("1 1 nan 0.95 1 0 0", cell),
            "P:3: expected a number from 0 to 1000, got 'nan'");
  EXPECT_EQ(refusal("1 1 0.05 0.95 -1 0 0", cell),
            "P:3: expected a number from 0 to 1000000, got '-1'");
  EXPECT_EQ(refusal("1 1 0.05 0.95 1 0 1.5", cell),
            "P:3: expected a number from 0 to 1, got '1.5'");
  EXPECT_EQ(refusal(stop, "bcast 0 8 binomial 0"),
            "P:4: expected a whole number from 1 to 2147483647 (ranks), got '0'");
  EXPECT_EQ(refusal(stop, "bcast 4/0 8 binomial 0"),
            "P:4: expected a whole number from 1 to 2147483647 (ranks), got '0'");
  EXPECT_EQ(refusal(stop, "bcast 4/2/1 8 binomial 0"),
            "P:4: expected RANKS or RANKS/RANKS-PER-NODE, got '4/2/1'");
  EXPECT_EQ(refusal(stop, "bcast 4 8 binomial 0 openmpi"),
            "P:4: expected a cell, got 'bcast 4 8 binomial 0 openmpi'");
}

TEST(ReportLine, EveryEventReadsBack) {
  const CellResult measured{kCell, 98304, 4, 7, 2, {1.25, 0.1, 3e9}, 2, 0.5, 3};
  const auto back = parse_report_line(report_line(measured));
  ASSERT_TRUE(back && std::holds_alternative<CellResult>(*back));
  const auto& cell = std::get<CellResult>(*back);
  EXPECT_EQ(cell.cell, kCell);
  EXPECT_EQ(cell.samples_us, measured.samples_us);
  EXPECT_EQ(cell.count, 98304U);
  EXPECT_EQ(cell.layout.nodes, 7U);
  EXPECT_EQ(cell.discarded, 2U);
  EXPECT_EQ(cell.foreign_load, 0.5);
  EXPECT_EQ(cell.shared_cores, 3U);
  EXPECT_TRUE(std::holds_alternative<CellsBegun>(*parse_report_line(report_line(CellsBegun{}))));
  EXPECT_TRUE(std::holds_alternative<JobDone>(*parse_report_line(report_line(JobDone{}))));
  EXPECT_TRUE(std::holds_alternative<Checkpoint>(*parse_report_line(report_line(Checkpoint{}))));
  EXPECT_EQ(
      std::get<CellResult>(*parse_report_line(report_line(failed_cell(kDefault, "why \"so\""))))
          .failure,
      "why \"so\"");
  EXPECT_TRUE(std::get<CellResult>(*parse_report_line(report_line(failed_cell(kDefault, "", true))))
                  .cannot_run);
}

TEST(ReportLine, ForeignAndBrokenLinesAreNotReports) {
  EXPECT_FALSE(parse_report_line("hello"));
  EXPECT_FALSE(parse_report_line("@colltree {\"event\":\"measured\"}"));
  EXPECT_FALSE(parse_report_line("@colltree {\"event\":\"done\""));
  EXPECT_FALSE(
      parse_report_line("@colltree {\"event\":\"begun\",\"cell\":\"bcast 2 x linear 0\"}"));
  const CellResult measured{kCell, 98304, 4, 7, 2, {1.25}, 2, 0.5};
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string line = report_line(measured);
    line.replace(line.find(old), old.size(), now);
    return parse_report_line(line);
  };
  EXPECT_FALSE(with("measured", "plan_donemeasured"));
  EXPECT_FALSE(with(":0.5", ":-0.5"));
  EXPECT_FALSE(std::signbit(std::get<CellResult>(*with("1.25", "-0e2")).samples_us[0]));
}

TEST(ReportLine, NumbersAndChecksumsTellWhatIsMissing) {
  ReportNumbering numbering;
  EXPECT_EQ(numbering.line(Checkpoint{}),
            "@colltree {\"event\":\"checkpoint\",\"line\":1,\"check\":\"" +
                checksum_of_line("@colltree {\"event\":\"checkpoint\",\"line\":1") + "\"}\n");
  std::string one = numbering.line(CellResult{kCell, 98304, 4, 7, 2, {1.25, 10.5, 3e9}, 2, 0.5});
  std::string other = numbering.line(CellResult{kCell, 98304, 4, 7, 2, {1.5, 20.5, 4e9}, 2, 0.5});
  one.pop_back();
  other.pop_back();
  ASSERT_TRUE(parse_numbered_line(one));
  EXPECT_EQ(parse_numbered_line(one)->number, 2U);
  // The head of one line and the rest of the next: if that is a report, then of one of them whole.
  int accepted = 0;
  for (std::size_t at = 1; at < one.size(); ++at) {
    const auto torn = parse_report_line(one.substr(0, at) + other.substr(at));
    if (!torn) continue;
    ++accepted;
    const std::vector<double>& samples_us = std::get<CellResult>(*torn).samples_us;
    EXPECT_TRUE(samples_us == (std::vector{1.25, 10.5, 3e9}) ||
                samples_us == (std::vector{1.5, 20.5, 4e9}))
        << one.substr(0, at) + other.substr(at);
  }
  // Up to where both lines are the same, what is put together is the other one.
  const auto same = static_cast<int>(std::ranges::mismatch(one, other).in1 - one.begin());
  EXPECT_LE(accepted, same + 10) << "of " << one.size();
  one[one.find("10.5")] = '2';
  EXPECT_FALSE(parse_report_line(one));
}

TEST(ReportLine, WitnessLinesComeBack) {
  const Witnessed seen{kDefault, 3, {1, 7}, "tuned", "ompi_coll_tuned_bcast_intra_dec_dynamic",
                       {2, 4}};
  const auto back = parse_witness_line(witness_line(seen).substr(0, witness_line(seen).size() - 1));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cell, kDefault);
  EXPECT_EQ(back->code, 3);
  EXPECT_EQ(back->ids, (std::vector<int>{1, 7}));
  EXPECT_EQ(back->component, "tuned");
  EXPECT_EQ(back->function, "ompi_coll_tuned_bcast_intra_dec_dynamic");
  EXPECT_EQ(back->instance().nodes, 2);
  EXPECT_EQ(back->instance().ranks_per_node, 4);
  EXPECT_EQ(back->instance().communicator_size, kDefault.instance.communicator_size);
  const auto nothing = parse_witness_line("@witness 0 - - - 0 0 " + cell_line(kDefault));
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->ids.empty() && nothing->component.empty() && nothing->function.empty());
  EXPECT_FALSE(parse_witness_line("@witness 0 1 " + cell_line(kDefault)));
}

TEST(ReportLine, VariablesComeBackWithAnyText) {
  const LibraryVariable one{"coll_x", "a \"b\"\nc", "the file /etc/a b.conf"};
  const std::string line = variable_line(one);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto back = parse_variable_line(line.substr(0, line.size() - 1));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name + back->value + back->set_by, one.name + one.value + one.set_by);
  EXPECT_FALSE(parse_variable_line("@variable {\"name\":\"x\"}"));
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(Placement, AskedForAndPossible) {
  const std::vector<std::uint64_t> asked = {1, 2, 4, kAllRanksOfNode};
  const JobLayout layout{4, 8};
  EXPECT_THAT(possible_ranks_per_node(asked, 2, layout), ElementsAre(1, 2));
  EXPECT_THAT(possible_ranks_per_node(asked, 3, layout), ElementsAre(1, 2, 3));
  EXPECT_THAT(possible_ranks_per_node(asked, 4, layout), ElementsAre(1, 2, 4));
  EXPECT_THAT(possible_ranks_per_node(asked, 8, layout), ElementsAre(2, 4, 8));
  EXPECT_THAT(possible_ranks_per_node(asked, 17, layout), ElementsAre(8));
  EXPECT_THAT(possible_ranks_per_node(asked, 33, layout), IsEmpty());
  EXPECT_THAT(possible_ranks_per_node(std::vector<std::uint64_t>{16}, 32, layout), IsEmpty());
}

TEST(Placement, MembersNodeByNode) {
  const std::vector<int> block = {7, 7, 7, 3, 3, 3, 9, 9, 9};
  EXPECT_THAT(members_of(block, 3, 1), Optional(ElementsAre(0, 3, 6)));
  EXPECT_THAT(members_of(block, 4, 2), Optional(ElementsAre(0, 1, 3, 4)));
  EXPECT_THAT(members_of(block, 5, 2), Optional(ElementsAre(0, 1, 3, 4, 6)));
  EXPECT_THAT(members_of(block, 9, 3), Optional(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8)));
  EXPECT_EQ(members_of(block, 4, 1), std::nullopt);
  EXPECT_EQ(members_of(block, 4, 4), std::nullopt);
}

// Ranks dealt round the nodes make the same communicator: node by node.
TEST(Placement, CyclicJobs) {
  const std::vector<int> cyclic = {0, 1, 2, 0, 1, 2};
  EXPECT_THAT(members_of(cyclic, 4, 2), Optional(ElementsAre(0, 3, 1, 4)));
  EXPECT_THAT(members_of(cyclic, 3, 1), Optional(ElementsAre(0, 1, 2)));
}

TEST(Placement, UnevenNodesArePassedOver) {
  const std::vector<int> uneven = {0, 0, 1, 2, 2};
  EXPECT_THAT(members_of(uneven, 4, 2), Optional(ElementsAre(0, 1, 3, 4)));
  EXPECT_THAT(members_of(uneven, 3, 2), Optional(ElementsAre(0, 1, 2)));
  const std::vector<int> small_first = {0, 1, 1, 2, 2};
  EXPECT_EQ(members_of(small_first, 4, 2), std::nullopt);  // the first rank reports
}

TEST(Placement, BlocksShareNoNode) {
  const std::vector<int> block = {7, 7, 3, 3, 9, 9, 4, 4};
  EXPECT_THAT(disjoint_blocks(block, 2, 2), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                        ElementsAre(4, 5), ElementsAre(6, 7)));
  EXPECT_THAT(disjoint_blocks(block, 2, 1), ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6)));
  EXPECT_THAT(disjoint_blocks(block, 3, 2),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(4, 5, 6)));
  EXPECT_THAT(disjoint_blocks(block, 5, 2), ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
  EXPECT_THAT(disjoint_blocks(block, 16, 2), IsEmpty());
}

TEST(Placement, BlocksOfTheFirstRanksLieAlike) {
  const std::vector<int> cyclic = {0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_THAT(disjoint_blocks(cyclic, 2, 0), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(disjoint_blocks(cyclic, 6, 0), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  // Rank 3 and 4 lie on one node, 0 and 1 on two.
  const std::vector<int> uneven = {0, 1, 1, 2, 2, 3, 4};
  EXPECT_THAT(disjoint_blocks(uneven, 2, 0), ElementsAre(ElementsAre(0, 1), ElementsAre(5, 6)));
  EXPECT_THAT(disjoint_blocks(uneven, 16, 0), IsEmpty());
}

TEST(Placement, BlocksPassSmallNodesOver) {
  const std::vector<int> small = {0, 0, 1, 2, 2};
  EXPECT_THAT(disjoint_blocks(small, 2, 2), ElementsAre(ElementsAre(0, 1), ElementsAre(3, 4)));
}

}  // namespace

}  // namespace colltree::protocol
