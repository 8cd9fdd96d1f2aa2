// SPDX-License-Identifier: BSD-3-Clause
#include "timings/map_output.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace colltree {
namespace {

DecisionMap small_map() {
  DecisionMap map;
  map.methods = {{"linear", 0}, {"binomial", 0}, {"binomial", 1024}};
  map.communicator_sizes = {2, 28};
  map.message_sizes = {0, 512, 393216};
  map.best = {0, 2, 2, 2, 0, 2};
  map.origin.assign(6, CellOrigin::kMeasured);
  map.origin[4] = map.origin[5] = CellOrigin::kInterpolated;
  for (int i = 0; i < 18; ++i) map.time_us.push_back(i + 0.5);
  return map;
}

TEST(MapOutput, Text) {
  EXPECT_EQ(map_text(small_map()),
            "            3\n"
            "          5 8\n"
            "          1 4\n"
            "        0 2 K\n"
            "     2  B A A\n"
            "    28  A B'A'\n"
            "  A  Binomial_1K                   4 cells  66.7 %\n"
            "  B  Linear_0K                     2 cells  33.3 %\n"
            "  '  2 of 6 cells are interpolated\n");
}

TEST(MapOutput, Csv) {
  const std::string csv = map_csv(small_map());
  EXPECT_TRUE(csv.starts_with(
      "collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us\n"
      "bcast,2,0,Linear_0K,linear,0,measured,0.5\n"
      "bcast,2,512,Binomial_1K,binomial,1024,measured,5.5\n"))
      << csv;
  EXPECT_TRUE(csv.ends_with("bcast,28,393216,Binomial_1K,binomial,1024,interpolated,17.5\n"));
}

TEST(MapOutput, Json) {
  const Json json = map_json(small_map());
  EXPECT_EQ(json["collective"], "bcast");
  EXPECT_EQ(json["interpolated"], 2);
  EXPECT_EQ(json["methods"][0]["method"], "Binomial_1K");
  EXPECT_EQ(json["methods"][0]["cells"], 4);
  EXPECT_EQ(json["cells"].size(), 6U);
  EXPECT_EQ(json["cells"][4]["origin"], "interpolated");
}

}  // namespace
}  // namespace colltree
