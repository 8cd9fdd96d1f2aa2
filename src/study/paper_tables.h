// SPDX-License-Identifier: BSD-3-Clause
// What the papers print: the parameters of their studies and their figures, for `reproduce`.
//   2006  Decision Trees and MPI Collective Algorithm Selection Problem
//   2007  MPI collective algorithm selection and quadtree encoding, Parallel Computing 33, 613-623
#pragma once

#include <cstdint>

namespace colltree {

// 2006, tables 2 (broadcast) and 4 (broadcast and reduce combined): size means leaves; errors are
// misclassified training cases; percentages of the cases (1248 and 2286).
struct PaperC45Row {
  int weight;
  double confidence;
  int leaves_before, errors_before;
  double errors_before_pct;
  int leaves_after, errors_after;
  double errors_after_pct, predicted_pct;
};

inline constexpr PaperC45Row kTable2[] = {
    {2, 25, 133, 102, 7.9, 127, 103, 7.9, 14.6}, {4, 25, 115, 114, 8.8, 95, 122, 9.4, 15.0},
    {6, 15, 99, 135, 10.4, 65, 149, 11.5, 17.6}, {8, 5, 73, 155, 12.0, 47, 166, 12.8, 21.0},
    {40, 5, 21, 231, 17.8, 21, 231, 17.8, 21.9},
};

inline constexpr PaperC45Row kTable4[] = {
    {2, 25, 239, 137, 6.0, 221, 142, 6.2, 12.6},  {6, 25, 149, 205, 9.0, 115, 220, 9.6, 14.0},
    {8, 25, 127, 225, 9.8, 103, 235, 10.3, 14.4}, {20, 5, 63, 310, 13.6, 55, 316, 13.8, 20.6},
    {40, 25, 33, 392, 17.1, 33, 392, 17.1, 19.6},
};

// 2006, table 3: performance penalty of the broadcast trees, percent.
struct PaperPenaltyRow {
  int weight;
  double confidence;
  double min, max, mean, median;
};

inline constexpr PaperPenaltyRow kTable3[] = {
    {2, 25, 0, 75.41, 0.66, 0}, {4, 25, 0, 316.97, 1.16, 0}, {6, 15, 0, 316.97, 3.24, 0},
    {8, 5, 0, 316.97, 1.66, 0}, {40, 5, 0, 316.97, 2.08, 0},
};

// 2007, tables 1 (Frodo) and 2 (Grig): broadcast quadtrees by maximum depth; penalty in percent.
struct PaperQuadtreeRow {
  std::uint64_t max_depth;
  int min_depth;
  double mean_depth;
  double penalty_min, penalty_max, penalty_mean, penalty_median;
  int leaves, nodes;
};

inline constexpr PaperQuadtreeRow kFrodo2007[] = {
    {1, 1, 1.00, 0, 560.42, 74.62, 2.88, 4, 5}, {2, 1, 1.92, 0, 743.16, 12.56, 0, 13, 17},
    {3, 1, 2.50, 0, 743.15, 12.43, 0, 22, 29},  {4, 2, 3.63, 0, 743.15, 12.01, 0, 91, 121},
    {5, 2, 4.61, 0, 31.14, 0.67, 0, 328, 437},  {6, 2, 5.65, 0, 0, 0, 0, 1153, 1537},
};

inline constexpr PaperQuadtreeRow kGrig2007[] = {
    {1, 1, 1.00, 0, 337.43, 37.10, 0, 4, 5},    {2, 2, 2.00, 0, 391.53, 18.54, 0, 16, 21},
    {3, 2, 2.76, 0, 247.20, 5.75, 0, 37, 49},   {4, 2, 3.75, 0, 247.20, 3.25, 0, 106, 141},
    {5, 2, 4.61, 0, 225.30, 1.29, 0, 227, 369}, {6, 2, 5.70, 0, 0, 0, 0, 1024, 1365},
};

// 2007, table 3: reduce on Grig, in memory and as a compiled function, on an Athlon 64 at 2.2 GHz.
struct PaperDecisionRow {
  double mean_depth, penalty_mean;
  int memory_bytes;
  double memory_ns;
  int function_size;  // if and else-if statements
  double function_ns;
};

inline constexpr PaperDecisionRow kDecision2007[] = {
    {1.00, 81.10, 712, 35.61, 4, 11.68},    {1.80, 11.58, 1096, 36.78, 12, 10.70},
    {2.92, 5.63, 3784, 54.53, 68, 13.68},   {3.62, 1.39, 7048, 54.70, 136, 13.87},
    {4.31, 0.97, 13192, 55.02, 264, 13.88}, {5.50, 0.00, 42952, 71.54, 884, 16.47},
};

}  // namespace colltree
