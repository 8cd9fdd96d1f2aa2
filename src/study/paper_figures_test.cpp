// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/test_picture.h"
#include "study/paper_study.h"

namespace colltree::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PaperFigures, EachIsDrawn) {
  Timings reduce = tiny_timings();
  reduce.collective = Collective::kReduce;
  for (Instance& at : reduce.instances) at.collective = Collective::kReduce;
  std::vector<std::string> names;
  std::vector<study::PaperFigure> figures = study::figures_2006(tiny_timings(), reduce);
  for (study::PaperFigure& figure :
       study::figures_2007({tiny_timings(), reduce, tiny_timings(), reduce})) {
    figures.push_back(std::move(figure));
  }
  for (const study::PaperFigure& figure : figures) {
    names.push_back(figure.name);
    EXPECT_TRUE(well_formed(figure.svg)) << figure.name;
    EXPECT_THAT(figure.svg, Not(HasSubstr("nan"))) << figure.name;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("2006-figure-2", "2006-figure-3", "2006-figure-4",
                                            "2007-figure-1a", "2007-figure-1b", "2007-figure-2",
                                            "2007-figure-3", "2007-figure-4", "2007-figure-5",
                                            "2007-figure-6"));
}

}  // namespace
}  // namespace colltree::testing
