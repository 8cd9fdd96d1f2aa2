// SPDX-License-Identifier: BSD-3-Clause
// Self-consistent performance guidelines: what an MPI library can keep on any machine, because a
// call that breaks one could be replaced by other calls of the same library.
// Traeff, Gropp, Thakur: "Self-consistent MPI Performance Guidelines", IEEE TPDS 21(5), 2010; the
// composed calls also in Hunold, Carpen-Amarie, Luebbe, Traeff: "PGMPI", 2016, and PGMPITuneLib.
// The table is guideline_table.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "timings/timings.h"

namespace colltree::evaluate {

enum class GuidelineForm : std::uint8_t {
  kReplacement,       // T(left, n) <= the sum of the right side's calls
  kMessageSize,       // T(n) <= T(m), n < m
  kPieces,            // T(k n) <= k T(n), k > 1
  kCommunicatorSize,  // T(p ranks) <= T(q ranks), p < q: where the p ranks with their nodes can be
                      // part of the q (no fewer nodes, no fewer ranks on each) and where n is the
                      // same data for each rank (so not where it is the sum over all ranks)
};

// Message size of a call on the right, from the left's n bytes on p ranks, each in the unit of its
// own collective (MessageUnit).
enum class SizeOf : std::uint8_t {
  kSame,   // n
  kWhole,  // n p: the left is a block, the right all blocks
  kPart,   // n / p: the other way round; none where p does not divide n
  kLeast,  // the least that was measured there, but 0
};

struct GuidelineTerm {
  Collective collective = Collective::kBcast;
  SizeOf size = SizeOf::kSame;
};

struct Guideline {
  std::string name;  // "allgather <= gather + bcast"
  GuidelineForm form = GuidelineForm::kReplacement;
  std::optional<Collective> left;    // none: each collective
  std::vector<GuidelineTerm> right;  // of a replacement only
  std::string text;                  // "allgather(n) <= gather(n) + bcast(n p)", units as above
};

std::span<const Guideline> guidelines();

// What decides at an instance (an index into the timings); none: nothing to choose.
struct GuidelineChooser {
  std::string name;
  std::function<std::optional<Method>(const Timings&, std::size_t)> choose;
};
GuidelineChooser default_chooser();  // the library's own choice, as measured
GuidelineChooser best_chooser();     // the best measured method of each instance

// A time, or a sum of times, and between what it lies (Timings::low_us, high_us). Without an
// interval (one sample, or a summary that has none) both ends are the time.
struct Cost {
  double time_us = 0;
  double low_us = 0;
  double high_us = 0;
  bool has_interval = true;  // of a sum: each has
};

enum class Verdict : std::uint8_t {
  kNotMeasured,  // a side has no time: what was chosen cannot run there
  kKept,
  kWithinNoise,  // broken by the times, but the intervals overlap
  kNoInterval,   // broken by the times; not every time has an interval
  kCertain,      // broken by the ends of the intervals that speak for it
};
bool is_broken(Verdict verdict);  // by the times

struct GuidelineCall {
  Instance instance;
  std::uint64_t times = 1;
  Method method;
};

// One guideline at one instance by one chooser, which decides on both sides.
struct GuidelineTest {
  Verdict verdict = Verdict::kNotMeasured;
  Method method;  // of the left side
  Cost left;
  Cost right;
  std::vector<GuidelineCall> calls;  // the right side

  double factor() const;  // left / right
};

struct GuidelineCase {
  std::size_t guideline = 0;  // of guidelines()
  Instance instance;          // of the left side
  std::vector<GuidelineTest> by;
};

// Every guideline at every measured instance where all sizes of a right side were measured with the
// same communicator and placement: nothing is interpolated. Where a guideline has several right
// sides at an instance (greater messages, other pieces, greater communicators) a chooser's test is
// the one it breaks most. Broken: left > (1 + tolerance) right; certain: the same with the left's
// lower and the right's upper end. Timings: a table for each collective.
// In the order of guidelines(), then of instances. Cost: guidelines x instances x sizes x choosers.
std::vector<GuidelineCase> test_guidelines(const std::vector<Timings>& timings,
                                           const std::vector<GuidelineChooser>& choosers,
                                           double tolerance);

struct GuidelineTally {
  std::size_t tested = 0;
  std::size_t broken = 0;  // those within the noise apart
  std::size_t certain = 0;
  std::size_t within_noise = 0;
};
GuidelineTally tally(std::span<const GuidelineCase> cases, std::size_t guideline,
                     std::size_t chooser);

// What a chooser breaks by the times, the worst first: by factor, what may be noise last.
std::vector<const GuidelineCase*> worst_first(std::span<const GuidelineCase> cases,
                                              std::size_t chooser);

}  // namespace colltree::evaluate
