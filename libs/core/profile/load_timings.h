// SPDX-License-Identifier: BSD-3-Clause
// Loads from the store the table that everything after `measure` works on.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profile/profile.h"
#include "timings/timings.h"

namespace colltree::profile {

// The way in which the samples of a cell become its time. Samples of the same point in several
// campaigns of the system are pooled, but the median of a real system is the median of the
// campaigns' medians: each campaign is a session of equal weight. The interval then covers the
// differences between sessions, too.
enum class Summary : std::uint8_t { kMedian, kMinimum, kMean };

struct LoadOptions {
  Summary summary = Summary::kMedian;
  bool external = false;  // also "ext:*": the authors' own code, not an algorithm of the library
  std::optional<CampaignId> campaign;  // only the samples of this one
  // True: the library's own choice, if it was timed, is a method, the last in tie order. Never for
  // a simulated system, whose library is not that of any real machine.
  bool default_candidate = true;
  // True: also instances where only the library's own choice was measured.
  bool default_alone = false;
  // Only the times measured with this many ranks on each node; 0 = all. (A communicator of fewer
  // ranks lies on one node.)
  std::uint64_t ranks_per_node = 0;
  // Only the times under this setting of the job (coll/method.h: setting_of); "": the plain job.
  std::string setting = "";
};

// An instance of a table and one of its methods, or the library's own choice.
using WantedTimes = std::set<std::pair<Instance, Method>>;

// The stored times of one collective on one system. `timings` includes the wanted instances without
// a time; surrogate::complete predicts these, from all placements, and keeps the instances with
// `ranks_per_node`.
struct StoredTimings {
  Timings timings;
  WantedTimes wanted;                // by a campaign that did not measure it
  std::uint64_t ranks_per_node = 0;  // LoadOptions::ranks_per_node
};

// Methods are in tie order: catalogue order, then by segment size (unknown first), then by name. An
// instance where only the library's own choice was measured is left out, because it offers no
// choice. If nearly all repeated cells of an imported campaign have samples that are equal to the
// last digit, those are copies of one figure and count as one sample (has_copied_samples). Throws
// Error when the system has no time of this collective.
StoredTimings load_timings(const Profile& profile, const std::string& system, Collective collective,
                           const LoadOptions& options = {});
// Nothing instead of that Error.
std::optional<StoredTimings> find_timings(const Profile& profile, const std::string& system,
                                          Collective collective, const LoadOptions& options = {});

// Two tables of the same instances and methods from one profile, to show the effect of noise: the
// samples of each cell are dealt at random into two halves (an odd sample is left out).
struct TimingHalves {
  Timings first;
  Timings second;
  std::size_t left_out = 0;  // instances where a method has one sample only: in neither
};
// Nothing when no instance has two samples of each of its methods.
std::optional<TimingHalves> find_timing_halves(const Profile& profile, const std::string& system,
                                               Collective collective, const LoadOptions& options,
                                               std::uint64_t seed);

}  // namespace colltree::profile
