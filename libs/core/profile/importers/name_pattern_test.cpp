// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_scratch.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {
namespace {

// "bcast binomial_1K 16 ranks 4x8 on s", what is not said as "-".
std::string text_of(const FileFacts& facts) {
  const auto number = [](const std::optional<std::uint64_t>& value) {
    return value ? fmt::format("{}", *value) : "-";
  };
  std::string method = facts.method ? facts.method->label() : "-";
  if (facts.openmpi_number) method = fmt::format("#{}", *facts.openmpi_number);
  return fmt::format("{} {} {} {}x{} {}", facts.collective ? name(*facts.collective) : "-", method,
                     number(facts.communicator_size), number(facts.nodes),
                     number(facts.ranks_per_node), facts.system.empty() ? "-" : facts.system);
}

TEST(NamePattern, ReadsWhatNamesSay) {
  const struct {
    const char* pattern;
    const char* path;
    const char* facts;
  } kCases[] = {
      {"osu_{collective}_{method}_{ranks}.txt", "osu_bcast_binomial_16.txt",
       "bcast binomial 16 -x- -"},
      // as much as each can take, and no less than makes the rest fit
      {"osu_{collective}_{method}_{ranks}.txt", "osu_reduce_scatter_ring_16.txt",
       "reduce_scatter ring 16 -x- -"},
      {"{collective}_{method}_{ranks}.txt", "allreduce_recursive_doubling_4.txt",
       "allreduce recursive_doubling 4 -x- -"},
      {"{method}_{segment}_{ranks}.out", "runs/pipeline_64K_8.out", "- Pipeline_64K 8 -x- -"},
      {"{segment}-{method}", "0-Chain", "- Chain_0K - -x- -"},
      {"{method}", "Default", "- default - -x- -"},
      // folders
      {"{system}/{collective}/{nodes}x{ppn}/*.out", "/data/nano/Broadcast/4x8/run17.out",
       "bcast - - 4x8 nano"},
      {"{collective}/{openmpi_number}_{ranks}ranks_run*.out", "output/alltoall/3_16ranks_run0.out",
       "alltoall #3 16 -x- -"},
      // a compressed file is the same file
      {"{collective}.txt", "all_reduce.txt.gz", "allreduce - - -x- -"},
      {"{collective}.txt.gz", "osu_alltoall.txt.gz", "alltoall - - -x- -"},
      {"*-{ranks}-*", "a-1-b-2-c", "- - 2 -x- -"},
      {"nothing.txt", "nothing.txt", "- - - -x- -"},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(text_of(NamePattern(one.pattern).read(one.path)), one.facts) << one.pattern;
  }
}

TEST(NamePattern, SaysWhatDoesNotFit) {
  const struct {
    const char* pattern;
    const char* path;
    const char* name;
  } kCases[] = {
      {"osu_{collective}.txt", "data/osu_bcats.txt", "osu_bcats.txt"},
      {"osu_{collective}.txt", "data/imb_bcast.txt", "imb_bcast.txt"},
      {"{collective}_{ranks}.txt", "bcast_0.txt", "bcast_0.txt"},
      {"{collective}_{ranks}.txt", "bcast_2147483648.txt", "bcast_2147483648.txt"},
      {"{collective}_{ranks}.txt", "bcast_-4.txt", "bcast_-4.txt"},
      {"{collective}_{method}.txt", "bcast_.txt", "bcast_.txt"},
      {"{collective}/{ranks}.txt", "4.txt", "4.txt"},
      {"{method}_{segment}", "chain_1T", "chain_1T"},
      {"{method}.txt", "a\x1b[31m.txt", "a\\x1B[31m.txt"},
      {"{openmpi_number}.txt", "six.txt", "six.txt"},
      {"*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
  };
  for (const auto& one : kCases) {
    EXPECT_THAT(error_of([&] { NamePattern(one.pattern).read(one.path); }),
                ::testing::EndsWith(
                    fmt::format(": '{}' does not fit --name-pattern '{}'", one.name, one.pattern)));
  }
}

TEST(NamePattern, RefusesWhatIsNone) {
  const struct {
    const char* pattern;
    const char* why;
  } kCases[] = {
      {"{collective", "a '{' without its '}'"},
      {"{coll}.txt",
       "unknown field '{coll}'; known are {collective}, {method}, {openmpi_number}, {segment}, "
       "{ranks}, {nodes}, {ppn}, {system}"},
      {"{ranks}_{ranks}", "'{ranks}' stands in it twice"},
      {"{method}{ranks}", "between '{ranks}' and what stands before it there must be text"},
      {"*{ranks}", "between '{ranks}' and what stands before it there must be text"},
      {"{segment}.txt", "'{segment}' needs '{method}', whose segments they are"},
      {"{method}_{openmpi_number}", "'{method}' and '{openmpi_number}' are the same"},
  };
  for (const auto& one : kCases) {
    EXPECT_THROW(NamePattern{one.pattern}, UsageError);
    EXPECT_EQ(error_of([&] { NamePattern{one.pattern}; }),
              fmt::format("--name-pattern: {}", one.why));
  }
}

TEST(Words, AreTakenApart) {
  using ::testing::ElementsAre;
  EXPECT_THAT(words_of("  4 \t 1.5  x"), ElementsAre("4", "1.5", "x"));
  EXPECT_THAT(words_of(" \t "), ElementsAre());
  EXPECT_THAT(cells_of("Size       Avg Latency(us)\tP50 Tail Lat(us)  Iterations"),
              ElementsAre("Size", "Avg Latency(us)", "P50 Tail Lat(us)", "Iterations"));
}

// As if the digits had been written in the other unit.
TEST(Words, NumbersAreScaledExactly) {
  EXPECT_EQ(find_scaled("0.0000109819", 6), 10.9819);
  EXPECT_EQ(find_scaled("12345.5", -3), 12.3455);
  EXPECT_EQ(find_scaled("1.45e+04", -3), 14.5);
  EXPECT_EQ(find_scaled("3E-05", 6), 30.0);
  EXPECT_EQ(find_scaled("0", 6), 0.0);
  for (const char* none :
       {"", "x", "1.5x", "nan", "inf", "1e", "1e999", "1e+-5", "0x10", " 1", "+1", "1,5"}) {
    EXPECT_EQ(find_scaled(none, 0), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace colltree::profile
