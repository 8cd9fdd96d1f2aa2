// SPDX-License-Identifier: BSD-3-Clause
#include "timings/recorded_cost.h"

#include <gmock/gmock.h>

namespace colltree {
namespace {

constexpr const char* kHead =
    "# colltree record 1\n# state complete\n# ranks 2\n# ranks_covered 2\n# seconds 0.001\n"
    "# calls_lost 0\n"
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us\n";

Timings two_methods() {
  Timings timings;
  timings.collective = Collective::kBcast;
  timings.methods = {{"linear", 0}, {"binomial", 0}};
  timings.instances = {{Collective::kBcast, 2, 100}, {Collective::kBcast, 2, 10000}};
  timings.time_us = {10, 5, 30, 40};
  timings.default_us = {20, 20};
  return timings;
}

TEST(RecordedCost, SharesAreOfTheWholeRunOfAllRanks) {
  const CallRecord record = parse_call_record(
      std::string(kHead) + "bcast,2,1,2,100,default,,default,5,500,10,200,1,30\n", "r");
  const std::vector<RecordedCost> costs = recorded_cost(record, {});
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_DOUBLE_EQ(costs[0].share, 0.1);  // 200 us of 2 ranks x 1000 us
  EXPECT_DOUBLE_EQ(costs[0].decided_share, 0);
  EXPECT_FALSE(costs[0].rows[0].in_profile);
}

TEST(RecordedCost, SavesWhatTheBestOfTheNearestInstanceSaves) {
  const CallRecord record = parse_call_record(
      std::string(kHead) + "bcast,2,1,2,120,default,,default,5,600,10,200,1,30\n" +
          "bcast,2,1,2,9000,default,,default,5,600,10,400,1,30\n" +
          "bcast,2,1,2,1048576,default,,default,5,600,10,600,1,30\n",
      "r");
  const std::vector<RecordedCost> costs = recorded_cost(record, {two_methods()});
  ASSERT_EQ(costs.size(), 1U);
  ASSERT_EQ(costs[0].rows.size(), 3U);
  EXPECT_FALSE(costs[0].rows[0].in_profile);  // a megabyte is too far away
  EXPECT_EQ(costs[0].rows[1].best, (Method{"default", std::nullopt}));
  EXPECT_DOUBLE_EQ(costs[0].rows[1].saved_share, 0);
  EXPECT_EQ(costs[0].rows[2].best, (Method{"binomial", 0}));
  EXPECT_DOUBLE_EQ(costs[0].rows[2].saved_share, 0.1 * 0.75);  // 20 us -> 5 us
  EXPECT_DOUBLE_EQ(costs[0].saved_share, 0.075);
  EXPECT_DOUBLE_EQ(costs[0].profiled_share, 0.3);
}

TEST(RecordedCost, TimeIsSharedOutByWhatDecidedIt) {
  const CallRecord record = parse_call_record(
      std::string(kHead) + "bcast,2,1,2,120,binomial,0,model,5,600,10,300,1,30\n" +
          "bcast,2,1,2,120,default,,default,5,600,10,500,1,30\n" +
          "gatherv,2,1,2,,default,,no_methods,50,,100,200,1,30\n" +
          "iallreduce,2,1,2,,default,,nonblocking,300,,600,,,\n",
      "r");
  const TimeShares shares = time_shares(record);
  EXPECT_DOUBLE_EQ(shares.total_us, 1000);
  EXPECT_DOUBLE_EQ(shares.decided, 0.3);
  EXPECT_EQ(shares.by_why,
            (std::map<std::string, double>{{"default", 0.5}, {"model", 0.3}, {"no_methods", 0.2}}));
  EXPECT_DOUBLE_EQ(share_of_run(record, shares.total_us), 0.5);
}

constexpr const char* kHead2 =
    "# colltree record 2\n# state complete\n# ranks 2\n# ranks_covered 2\n# seconds 0.001\n"
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us,site,symbol,sampled_calls,sampled_us,"
    "waiting_us,completing_us\n";

TEST(RecordedCost, NoMethodSavesWaiting) {
  const CallRecord record = parse_call_record(
      std::string(kHead2) +
          "bcast,2,1,2,120,default,,default,5,600,10,200,1,30,p+0x1,f,4,50,30,0\n",
      "r");
  const std::vector<RecordedCost> costs = recorded_cost(record, {two_methods()});
  EXPECT_DOUBLE_EQ(costs[0].rows[0].waiting_share, 0.1 * 0.6);
  EXPECT_DOUBLE_EQ(costs[0].saved_share, 0.1 * 0.4 * 0.75);  // 20 us -> 5 us
}

TEST(RecordedCost, SitesAddUpBySizeClass) {
  const CallRecord record = parse_call_record(
      std::string(kHead2) +
          "bcast,2,1,2,120,default,,default,5,600,10,200,1,30,p+0x1,f,4,50,30,0\n" +
          "bcast,2,1,2,70,linear,0,model,3,210,6,100,1,30,p+0x1,f,0,0,0,0\n" +
          "bcast,2,1,2,70,linear,0,model,3,210,6,20,1,30,p+0x2,f,2,10,0,0\n" +
          "bcast,1,1,1,128,default,,one_rank,3,384,3,20,1,30,p+0x1,f,0,0,0,0\n" +
          "gatherv,2,1,2,,default,,no_methods,5,,10,400,1,50,p+0x3,g,0,0,0,0\n" +
          "ibcast,2,1,2,,default,,nonblocking,5,,10,4,1,50,p+0x4,g,0,0,0,6\n",
      "r");
  const std::vector<SiteCost> sites = site_costs(record, recorded_cost(record, {two_methods()}));
  ASSERT_EQ(sites.size(), 5U);
  EXPECT_EQ(sites[0].function, "gatherv");
  EXPECT_FALSE(sites[0].size_class.has_value());
  EXPECT_DOUBLE_EQ(sites[0].share, 0.2);
  EXPECT_EQ(sites[0].sampled_share, 0);
  EXPECT_EQ(sites[1].site, (CallSite{"p+0x1", "f"}));
  EXPECT_EQ(sites[1].size_class, 64U);
  EXPECT_EQ(sites[1].calls, 8U);
  EXPECT_DOUBLE_EQ(sites[1].share, 0.15);
  EXPECT_DOUBLE_EQ(sites[1].sampled_share, 0.1);
  EXPECT_DOUBLE_EQ(sites[1].waiting_share, 0.06);
  EXPECT_DOUBLE_EQ(sites[1].saved_share, 0.03 + 0.05 * 0.5);
  EXPECT_EQ(sites[2].site.where, "p+0x1");
  EXPECT_EQ(sites[2].size_class, 128U);
  EXPECT_DOUBLE_EQ(sites[2].sampled_share, 0.01) << "one rank waits for none";
  EXPECT_EQ(sites[3].site.where, "p+0x2");
  EXPECT_EQ(sites[4].function, "ibcast");
  EXPECT_DOUBLE_EQ(sites[4].share, 0.005) << "in the call and where it is completed";
}

TEST(RecordedCost, DearestFirst) {
  const CallRecord record = parse_call_record(
      std::string(kHead) + "bcast,2,1,2,120,default,,default,5,600,10,200,1,30\n" +
          "reduce,2,1,2,120,linear,0,model,5,600,10,300,1,30\n",
      "r");
  const std::vector<RecordedCost> costs = recorded_cost(record, {});
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].collective, Collective::kReduce);
  EXPECT_DOUBLE_EQ(costs[0].decided_share, 1);
}

}  // namespace
}  // namespace colltree
