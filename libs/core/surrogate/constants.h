// SPDX-License-Identifier: BSD-3-Clause
// The constants of the surrogate that are not computed. Each group names the command by which its
// values were or can be chosen (docs/results/tuning.md says how, and what the most influential ones
// change).
#pragma once

#include <cstddef>
#include <cstdint>

namespace colltree::surrogate {

// The similarity of times at two places (kernel.h). No length is fitted to a table: a table or the
// first cells of a campaign hold little information, and a kernel fitted to them trusts it too
// much.
struct Kernel {
  double level, ranks_trend, bytes_trend, both_trend;  // standard deviations of log time; trends:
                                                       // for each octave
  double far, far_ranks, far_bytes;                    // and the lengths in octaves
  double near, near_ranks, near_bytes;
  double row, row_bytes;
  double power_of_two, power_bytes;
  double column, column_ranks;
  double per_node;
  double noise;  // of the single point
};
// For the log times themselves, in a campaign, which takes the likeliest kernel; chosen for the
// true penalty, by campaign_replay.
inline constexpr Kernel kCampaignKernels[] = {
    {3, 1.6, 0.95, 0.5, 1, 4, 6, 0.2, 1, 2, 0.05, 3, 0.1, 4, 0.08, 2, 3, 0.02},
    {3, 1.6, 0.95, 0.5, 1, 4, 6, 0.2, 1, 2, 0.05, 3, 0.1, 4, 0.08, 2, 3, 0.06},
    {3, 1.6, 0.95, 0.5, 1, 4, 6, 0.2, 1, 2, 0.05, 3, 0.1, 4, 0.08, 2, 3, 0.2},
    {3, 1.6, 0.95, 0.5, 1, 4, 6, 0.1, 1, 2, 0.025, 3, 0.05, 4, 0.04, 2, 3, 0.01}};
// They describe log times beside the level of all methods (belief.cpp); perf/tables/make.py between
// chose them.
inline constexpr Kernel kBeliefKernels[] = {
    {0.3, 0.06, 0.03, 0, 0.46, 3.2, 5, 0.13, 1.4, 1.1, 0.15, 5, 0.15, 5, 0.05, 3, 2, 0.05},
    {0.3, 0.06, 0.03, 0, 0.46, 5.5, 8, 0.13, 3, 2.2, 0.15, 8, 0.15, 8, 0.05, 3, 2, 0.05},
    {0.3, 0.01, 0.005, 0, 0.46, 3.2, 5, 0.13, 1.4, 1.1, 0.15, 5, 0.15, 5, 0.05, 3, 2, 0.1}};
inline constexpr std::uint64_t kSmallMessage_bytes = 16;  // smaller messages cost the same

// A value that misses its prediction from the others by more than `unlikely` deviations gets an
// additional variance, with which it misses by `left` deviations (process.h).
struct Doubt {
  double unlikely;
  double left;
};
inline constexpr Doubt kCampaignDoubt = {3, 3};    // by campaign_replay
inline constexpr Doubt kBeliefDoubt = {6, 1};      // by perf/tables/make.py between
inline constexpr double kOwnVarianceGrowth = 1.2;  // below this factor the search for it ends
inline constexpr int kOwnVarianceRounds = 3;       // or after these

// The expected penalty (surrogate.cpp): its agreement with the true penalty, by campaign_replay.
inline constexpr double kPenaltyFloor = 5e-4;   // fraction; less counts as no penalty
inline constexpr double kLatestWeight = 0.35;   // of a round's expectation, the rest is smoothed
inline constexpr double kNoiseShare = 0.7;      // of the loss by the noise of measured times:
                                                // neighbours say more than they are credited with
inline constexpr double kHindsightCells = 0.8;  // share of the cells, where hindsight begins
inline constexpr double kHindsightTrust = 0.7;  // exponent; 1: past errors recur in full
inline constexpr double kMostHindsight = 3;     // factor on the expectation
inline constexpr double kMostLogLoss = 3;       // log time; a loss counts up to e^3
inline constexpr double kRivalReach = 6;        // deviations within which a method may be best
inline constexpr std::size_t kDraws = 50000;    // over all points together, but for one point
inline constexpr std::size_t kFewestDraws = 4;  // at least
inline constexpr std::size_t kMostDraws = 32;   // and at most

// The trust in predictions (surrogate.cpp, tail.cpp, process.cpp): the true penalty, by
// campaign_replay.
inline constexpr double kAnewGrowth = 1.5;            // of the cells, until all are looked at anew
inline constexpr std::size_t kFewestMisses = 20;      // of predictions, to fit a tail to
inline constexpr std::size_t kLatestSurprises = 200;  // or the later half, if that is more
inline constexpr std::size_t kFewestOfMethod = 6;     // observations that foretell each other
inline constexpr double kFreedoms[] = {2.2, 3, 4, 6, 10, 40};  // of the t distributions tried
inline constexpr std::size_t kFirstFreedom = 2;  // its index, before there are surprises
inline constexpr double kTailScaleSpread = 0.5;  // deviation of log scale between systems

// The share of the loss that predictions allow which comes true (surrogate.cpp), by
// campaign_coverage.
inline constexpr double kUsualShare = 0.5;      // where nothing was tried,
inline constexpr double kLossAsUsual = 0.2;     // which counts as this loss; a fraction
inline constexpr double kShareElsewhere = 0.6;  // less than at measured cells, which were chosen
                                                // because much may be lost there
inline constexpr std::size_t kFewestToForetell = 4;

// The choice of the next cells (next_cells.cpp): the true penalty, by campaign_replay.
inline constexpr double kShareOfDefault = 0.25;      // of the cost, for the library's own choice;
                                                     // its penalty's interval: campaign_coverage
inline constexpr std::size_t kCandidates = 4;        // looked at for each cell wanted,
inline constexpr std::size_t kMostCandidates = 400;  // at most
inline constexpr double kLeastMove = 1e-4;  // log time; a mean that moves less gains nothing
inline constexpr double kGainReach = -3;    // deviations behind the best, where tails count only at
                                            // the candidate's own point
inline constexpr int kCoarseParts = 2;      // into which the first cells divide an axis

// Estimates between the measured sizes (belief.cpp), by perf/tables/make.py between.
inline constexpr std::size_t kMostTogether = 256;  // points in one matrix; with more points
inline constexpr std::size_t kJudgedTogether = 8;  // this many instances share a matrix, which
inline constexpr std::size_t kNeighbours = 64;     // holds this many points nearest to each
inline constexpr double kUsualSurprises = 20;   // observations that all methods together stand for
inline constexpr double kMostSurprise = 9;      // times the usual square of a surprise
inline constexpr double kLeastSurprise = 0.05;  // of that square
inline constexpr double kShareOfInterpolation = 0.25;
inline constexpr double kLeastCorners = 0.2;    // of the weight, to interpolate
inline constexpr double kCannotRunRanks = 0.7;  // octaves
inline constexpr int kLevelRounds = 20;
inline constexpr double kUsualOfSession = 0.1;  // log time, of a method on another day

// The test for equal methods (equals.cpp): by equals_test, which draws tables of equal methods, and
// by the tables of tests/data, none of which has any.
inline constexpr double kEnoughForEqual = 3;        // log likelihood, for one and the same
inline constexpr double kEnoughForDifferent = 6;    // of two methods
inline constexpr double kPointsForDifferent = 128;  // of at most this many; of more: in proportion
inline constexpr double kMostSpread = 3;            // usual deviations that a difference counts
inline constexpr double kSharesOfJob[] = {0.5, 0.9};     // of the noise: common to a job,
inline constexpr double kLengthsOfJob[] = {5, 1, 0.2};   // for this many octaves of the bytes
inline constexpr double kSharesOfMethod[] = {0.5, 0.9};  // of the differences: no noise
inline constexpr std::size_t kFewestToCompare = 12;      // points, of
inline constexpr std::size_t kFewestJobsToCompare = 3;   // communicator sizes, at least
inline constexpr std::size_t kMostToCompare = 256;
inline constexpr double kLeastDifference = 1e-9;  // log time; less is rounding

// Numerics: far below what can be measured.
inline constexpr double kLeastVariance = 1e-12;            // of log time
inline constexpr double kLeastMeasurementVariance = 1e-8;  // a hundredth of a percent
inline constexpr double kNegligible = -6;                  // deviations behind; no gain is expected

}  // namespace colltree::surrogate
