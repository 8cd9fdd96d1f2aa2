// SPDX-License-Identifier: BSD-3-Clause
#include "timings/call_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {

namespace {

constexpr const char* kHeader = "collective,communicator_size,message_size,calls\n";

TEST(CallMix, ReadsLines) {
  const auto mix =
      parse_call_mix(std::string(kHeader) + "bcast,16,64K,1000\r\nreduce,2,8,2.5\n", "f");
  ASSERT_EQ(mix.size(), 2U);
  EXPECT_EQ(mix[0].instance, (Instance{Collective::kBcast, 16, 65536}));
  EXPECT_EQ(mix[0].calls, 1000);
  EXPECT_EQ(mix[1].calls, 2.5);
}

TEST(CallMix, MistakesHaveTheirLine) {
  struct Case {
    std::string content;
    const char* error;
  };
  const std::string header = kHeader;
  const Case cases[] = {
      {"a,b\n", "f:1: expected collective,communicator_size,message_size,calls, got 'a,b'"},
      {header + "bcats,2,2,2\n", "f:2: expected a collective, got 'bcats'"},
      {header + "bcast,2,2\n", "f:2: expected 4 fields, got 'bcast,2,2'"},
      {header + "\nbcast,x,2,2\n", "f:3: expected a communicator size, got 'x'"},
      {header + "bcast,2,2,0\n", "f:2: expected a number of calls above 0, got '0'"},
      {header, "f:2: the mix holds no calls"},
  };
  for (const Case& one : cases) {
    try {
      parse_call_mix(one.content, "f");
      ADD_FAILURE() << one.error;
    } catch (const ParseError& error) {
      EXPECT_STREQ(error.what(), one.error);
    }
  }
}

using ::testing::HasSubstr;

constexpr const char* kRecord =
    "# colltree record 1\n# state complete\n# ranks 4\n# ranks_covered 4\n# seconds 1.500000\n"
    "# calls_lost 0\n# model quadtree of bcast; 3 methods\n# model_provenance simulated\n"
    "# model_algorithms portable\n# model_mpi smpi-3.32\n"
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us\n"
    "bcast,4,2,2,4096,binomial,1024,model,10,40960,40,123.456,1.000,9.500\n"
    "bcast,1,1,1,8,default,,one_rank,3,24,3,1.000,0.100,0.500\n"
    "alltoallv,4,2,2,64,default,,no_size,0,0,2,1.000,0.100,0.500\n";

TEST(CallRecord, IsReadWhole) {
  const CallRecord record = parse_call_record(kRecord, "r.csv");
  EXPECT_EQ(record.state, "complete");
  EXPECT_EQ(record.ranks, 4U);
  EXPECT_EQ(record.ranks_covered, 4U);
  EXPECT_DOUBLE_EQ(record.seconds, 1.5);
  EXPECT_EQ(record.model, "quadtree of bcast; 3 methods");
  EXPECT_EQ(record.model_provenance, "simulated");
  EXPECT_EQ(record.model_algorithms, "portable");
  EXPECT_EQ(record.model_mpi, "smpi-3.32");
  ASSERT_EQ(record.rows.size(), 3U);
  const RecordedCalls& first = record.rows[0];
  EXPECT_EQ(first.instance, (Instance{Collective::kBcast, 4, 4096, 2, 2}));
  EXPECT_EQ(first.method, (Method{"binomial", 1024}));
  EXPECT_EQ(first.why, "model");
  EXPECT_EQ(first.calls, 10U);
  EXPECT_EQ(first.rank_calls, 40U);
  EXPECT_DOUBLE_EQ(first.total_us, 123.456);
  EXPECT_FALSE(record.rows[1].method.segment_size.has_value());
}

TEST(CallRecord, HoldsWhatWasPassedOn) {
  const CallRecord record = parse_call_record(
      std::string(kRecord) + "gatherv,4,2,2,,default,,no_methods,50,,200,12.500,0.010,0.100\n" +
          "ireduce_scatter_block_c,4,2,2,,default,,nonblocking,3,,12,,,\n" +
          "neighbor_alltoallw_init,4,2,2,,default,,persistent,3,,12,,,\n" +
          "bcast,3,0,0,,default,,intercommunicator,2,,5,1.000,0.100,0.500\n",
      "r.csv");
  EXPECT_EQ(record.rows.size(), 3U);
  ASSERT_EQ(record.passed.size(), 4U);
  const PassedCalls& first = record.passed[0];
  EXPECT_EQ(first.function, "gatherv");
  EXPECT_EQ(first.why, "no_methods");
  EXPECT_EQ(first.calls, 50U);
  EXPECT_EQ(first.rank_calls, 200U);
  EXPECT_EQ(first.total_us, 12.5);
  EXPECT_FALSE(record.passed[1].total_us.has_value());
  EXPECT_EQ(record.passed[2].function, "neighbor_alltoallw_init");
  EXPECT_EQ(record.passed[3].communicator_size, 3U);
}

constexpr const char* kRecord2 =
    "# colltree record 2\n# state complete\n# ranks 4\n# ranks_covered 4\n# seconds 1.5\n"
    "# late 3 80.500\n# late 0 2.000\n"
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us,site,symbol,sampled_calls,sampled_us,"
    "waiting_us,completing_us\n"
    "bcast,4,2,2,4096,binomial,1024,model,10,40960,40,123.5,1.0,9.5,/a/cg+0x1f,main,8,90.25,60,0\n"
    "gatherv,4,2,2,,default,,no_methods,50,,200,12.5,0.01,0.1,run.py:7,,0,0,0,0\n"
    "ibcast,4,2,2,,default,,nonblocking,50,,200,12.5,0.01,0.1,run.py:8,,0,0,0,30.25\n";

TEST(CallRecord, OfVersion2HasCallSitesAndWaiting) {
  const CallRecord record = parse_call_record(kRecord2, "r.csv");
  ASSERT_EQ(record.late.size(), 2U);
  EXPECT_EQ(record.late[0].rank, 3U);
  EXPECT_EQ(record.late[0].waiting_us, 80.5);
  ASSERT_EQ(record.rows.size(), 1U);
  EXPECT_EQ(record.rows[0].site, (CallSite{"/a/cg+0x1f", "main"}));
  EXPECT_EQ(record.rows[0].sampled_calls, 8U);
  EXPECT_EQ(record.rows[0].sampled_us, 90.25);
  EXPECT_EQ(record.rows[0].waiting_us, 60);
  ASSERT_EQ(record.passed.size(), 2U);
  EXPECT_EQ(record.passed[0].site, (CallSite{"run.py:7", ""}));
  EXPECT_EQ(record.passed[0].total_us, 12.5);
  EXPECT_EQ(record.passed[1].completing_us, 30.25);
  EXPECT_EQ(record.passed[1].total_us, 42.75) << "with what completes it";
}

TEST(CallRecord, ReadsTheSegmentSizeThatEarlierVersionsWroteForTheLibrarysOwn) {
  std::string text = kRecord;
  const std::string_view row = "default,,one_rank";
  text.replace(text.find(row), row.size(), "default,18446744073709551615,default");
  const CallRecord record = parse_call_record(text, "r.csv");
  EXPECT_EQ(record.rows[1].method, library_default());
}

TEST(CallRecord, IsAMixWithoutWhatNobodyDecides) {
  const std::vector<CallCount> mix = parse_call_mix(kRecord, "r.csv");
  ASSERT_EQ(mix.size(), 1U);
  EXPECT_EQ(mix[0].instance.message_size, 4096U);
  EXPECT_DOUBLE_EQ(mix[0].calls, 10);
}

TEST(CallRecord, SaysWhereItIsWrong) {
  const auto error_of = [](std::string text, const char* from, const char* to) {
    text.replace(text.find(from), std::string_view(from).size(), to);
    try {
      parse_call_record(text, "r.csv");
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_of(kRecord, "record 1", "record 3"),
            "r.csv:1: expected '# colltree record 1' or '# colltree record 2', got '# colltree "
            "record 3'");
  EXPECT_THAT(error_of(kRecord, "record 1", "record 0"), HasSubstr("r.csv:1: expected"));
  EXPECT_THAT(error_of(kRecord, "record 1", "record 2"),
              HasSubstr("waiting_us,completing_us, got"));
  EXPECT_THAT(error_of(kRecord2, "record 2", "record 1"), HasSubstr("r.csv:8: expected coll"));
  EXPECT_THAT(error_of(kRecord2, ",90.25", ""), HasSubstr("r.csv:9: expected 20 fields, got"));
  EXPECT_EQ(error_of(kRecord2, ",90.25", ",-1"), "r.csv:9: expected microseconds, got '-1'");
  EXPECT_EQ(error_of(kRecord2, ",30.25", ",x"), "r.csv:11: expected microseconds, got 'x'");
  EXPECT_EQ(error_of(kRecord2, "3 80.500", "3"),
            "r.csv:6: expected a rank and microseconds, got '3'");
  EXPECT_EQ(error_of(kRecord2, "3 80.500", "x 80"), "r.csv:6: expected a rank, got 'x'");
  EXPECT_THAT(error_of(kRecord, "bcast,4", "bcats,4"),
              HasSubstr("r.csv:12: expected a collective"));
  EXPECT_THAT(error_of(kRecord, "4096,binomial", ",binomial"), HasSubstr("accepted"));
  EXPECT_THAT(error_of(kRecord, "bcast,4,2,2,4096", "ibcast_init,4,2,2,"),
              HasSubstr("r.csv:12: expected a collective function, got 'ibcast_init'"));
  EXPECT_THAT(error_of(kRecord, "123.456", "nan"), HasSubstr("r.csv:12: expected microseconds"));
  EXPECT_THAT(error_of(kRecord, "123.456", "1e300"), HasSubstr("r.csv:12: expected microseconds"));
  EXPECT_THAT(error_of(kRecord, "ranks_covered ", "ranks_covered 9"),
              HasSubstr("r.csv:1: expected no more ranks covered than the job's "));
  EXPECT_THAT(error_of(kRecord, ",9.500", ""), HasSubstr("r.csv:12: expected 14 fields"));
  EXPECT_THAT(error_of(kRecord, "why,", ""), HasSubstr("r.csv:11: expected collective,"));
}

}  // namespace

}  // namespace colltree
