// SPDX-License-Identifier: BSD-3-Clause
#include "base/table.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

Table times_table() {
  Table table({{"collective", "", "  {:<10}"},
               {"bytes", "bytes", " {:>6}", "call"},
               {"time_us", "time us", "  {:>8.2f}", "call"},
               {"low", "95 % interval", "  {:>5.1f}"},
               {"high", "", " to {:>5.1f}"},
               {"seed"}});
  table.add({"bcast", 1024, 3.25, 3.0, 3.5, 7});
  table.add({"re, duce", nullptr, Cell({}, "many"), {}, Cell(nullptr, "")});
  table.add({"barrier"}, ": refused");
  return table;
}

TEST(Table, TextIsAlignedAndHasNoBlanksAtTheEnds) {
  EXPECT_EQ(times_table().text(),
            "                         call\n"
            "              bytes   time us  95 % interval\n"
            "  bcast        1024      3.25    3.0 to   3.5\n"
            "  re, duce        -      many\n"
            "  barrier   : refused\n");
}

TEST(Table, CsvQuotesAndShortens) {
  Table table({{"name"}, {"", "only for people", "{}"}, {"share"}, {"text"}});
  table.add({"a,b", 1, 1.0 / 3, Cell({}, "\"=1\"")});
  table.add({"=x", 1, nullptr});
  EXPECT_EQ(table.csv(), "name,share,text\n\"a,b\",0.333333,\"=1\"\n'=x,,\n");
  EXPECT_EQ(table.json()[1].dump(), R"({"name":"=x","share":null})");
}

TEST(Table, JsonHasNullsAndLeavesOutWhatIsNotThere) {
  EXPECT_EQ(times_table().json().dump(),
            R"([{"bytes":1024,"collective":"bcast","high":3.5,"low":3.0,"seed":7,"time_us":3.25},)"
            R"({"bytes":null,"collective":"re, duce","high":null},{"collective":"barrier"}])");
}

}  // namespace
}  // namespace colltree
