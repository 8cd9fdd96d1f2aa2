// SPDX-License-Identifier: BSD-3-Clause
// What everything after `measure` works on: the time of every method at every measured instance of
// one collective on one system. Loaded from a profile (profile/load_timings.h); a plain table, no
// database.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coll/method.h"
#include "timings/time.h"

namespace colltree {

// The methods were narrowed to those that add up in one order (one_order.h).
struct OneOrder {
  Collective collective = Collective::kBcast;
  std::string order;  // text_of (coll/catalogue.h)
  std::uint64_t methods = 0;
  std::uint64_t of_methods = 0;
  // What it costs: penalties of the best that are left beside the best of all, as fractions.
  double mean_penalty = 0;
  double max_penalty = 0;

  bool operator==(const OneOrder&) const = default;
};

struct Timings {
  std::string system;
  std::string provenance;  // "simulated", "measured" or "imported"
  Collective collective = Collective::kBcast;
  std::vector<Method> methods;      // what may be chosen, in tie order; "default" may be the last
  std::vector<Instance> instances;  // sorted, each once
  Times time_us;                    // instances x methods, row by row; impossible: cannot run there
  Times default_us;  // by instance: the MPI library's own choice; impossible: not measured

  std::optional<OneOrder> one_order;  // none: all methods of the source

  std::string algorithms;  // whose the methods are: "portable", "openmpi", "mpich"; "" = not known
  std::string mpi;         // library and version they ran under, "openmpi-4.1.5"; "" = not known

  Time at(std::size_t instance, std::size_t method) const {
    return time_us[instance * methods.size() + method];
  }
  // Time of the method that really runs (coll/catalogue.h: effective_method) when `method` is asked
  // for at this instance.
  Time time_of(std::size_t instance, const Method& method) const;
  // The column of `time_us` that time_of reads; none when it has no time.
  std::optional<std::size_t> column_of(std::size_t instance, const Method& method) const;

  // Of the library's own choice; none where it is not among the methods.
  std::optional<std::size_t> default_column() const;

  // Of the known times of all methods at the instance, predicted ones among them; kNoTime without
  // any.
  double least_known_us(std::size_t instance) const;
  double greatest_known_us(std::size_t instance) const;
  // The method of the least known time, the first in tie order among ties; none without any.
  std::optional<std::size_t> best_at(std::size_t instance) const;
  // The same of measured times alone.
  std::optional<std::size_t> best_measured_at(std::size_t instance) const;

 private:
  std::span<const double> known_row(std::size_t instance) const {
    return time_us.known_us().subspan(instance * methods.size(), methods.size());
  }
};

// Times within this relative distance of the best count as ties; among ties the first method in
// catalogue order wins (the simplest algorithm, unsegmented before segmented).
inline constexpr double kTieTolerance = 1e-9;
double least_time(std::span<const double> times_us);  // kNoTime: there is none
// The first of the times within the tolerance of the least; none when there is no time.
std::optional<std::size_t> best_method(std::span<const double> times_us,
                                       double tie_tolerance = kTieTolerance);

// Of every point, method and time but the default's, whatever the order of the collectives: two
// profiles with this in common hold the same session.
std::string hash_of(const std::vector<Timings>& timings);

// How many of the cells, the library's own choice counted once, were measured or predicted.
struct TimeCounts {
  std::size_t measured = 0;
  std::size_t predicted = 0;
};
TimeCounts counts_of(const Timings& timings);

// The same table with these instances only (indices, ascending); every method stays.
Timings select_instances(const Timings& timings, std::span<const std::size_t> instances);
// The instances with so many ranks on each node; those of fewer ranks with all of theirs on one.
Timings select_placement(const Timings& timings, std::uint64_t ranks_per_node);
// Whether some communicator size was measured with several numbers of ranks on a node.
bool has_several_placements(const Timings& timings);
// The numbers of ranks per node that occur, without those of communicators on a single node where
// there are others; ascending.
std::vector<std::uint64_t> placements_of(const Timings& timings);
// The same table with these of its methods only; every instance stays.
Timings select_methods(const Timings& timings, std::span<const Method> methods);
// Those of one that the other has too, in one's order.
std::vector<Method> common_methods(const Timings& one, const Timings& other);

}  // namespace colltree
