// SPDX-License-Identifier: BSD-3-Clause
// What is drawn as lines: times against message size, penalties against what limits a tree.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/frame.h"
#include "report/tree_study.h"
#include "timings/timings.h"

namespace colltree::report {

// Times of every method against message size, with their intervals, and the library's own choice.
// Methods that are best nowhere on this line are drawn without colour. Throws Error when nothing
// was measured at this communicator size. Of `others` the library's own choice is drawn.
struct OtherTimes {
  std::string name;
  Timings timings;
};
LineFigure times_figure(std::string title, const Timings& timings, std::uint64_t communicator_size,
                        Background background, std::span<const OtherTimes> others = {});

// Rows of one study, with the name they have in the legend.
struct StudyCurve {
  std::string name;
  std::vector<StudyRow> rows;
};

// Mean, median and 95th percentile of the penalty against the depth limit (2007, tables 1 and 2).
LineFigure depth_figure(std::string title, const std::vector<StudyCurve>& curves,
                        Background background);
// Mean depth and mean penalty against the accuracy threshold (2007, figure 5).
LineFigure threshold_figure(std::string title, const std::vector<StudyCurve>& curves,
                            Background background);
// Mean penalty against mean depth under both limits, a panel for each curve; its rows are those of
// depth_study followed by those of threshold_study (2007, figure 6).
LineFigure limits_figure(std::string title, const std::vector<StudyCurve>& curves,
                         Background background);

// Mean penalty (fractions) against the number of leaves, both logarithmic.
struct LeavesCurve {
  std::string name;
  std::vector<Point> points;  // leaves, value; ascending
  std::vector<Point> bound;   // what no tree can go below, where it is not the value; dashed
  bool frontier = false;      // the least there is: drawn as stairs
};
LineFigure leaves_figure(std::string title, std::string value_name,
                         const std::vector<LeavesCurve>& curves, Background background);
// The same in microseconds, linear.
LineFigure leaves_time_figure(std::string title, std::string value_name,
                              const std::vector<LeavesCurve>& curves, Background background);

}  // namespace colltree::report
