// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "candidate.h"

namespace colltree {

enum class Load { kRandom, kUniform, kMix };

// Seeded queries. kRandom: 2..64 ranks, 1 B..16 MB, each power of two as likely as the next.
// kUniform: the same ranges, each byte as likely (as the paper's text reads). kMix: an application:
// nine calls in ten are of eight sizes, the rest as kRandom.
std::vector<Query> make_queries(Load load, std::size_t count);

// Nanoseconds of one decision, for each candidate: the least of `rounds` passes over the queries.
// The candidates take turns, so that a busy machine disturbs all alike.
std::vector<double> warm_ns(const std::vector<std::unique_ptr<Candidate>>& candidates,
                            const std::vector<Query>& queries, int rounds);

// The median over single decisions, each after other work has filled the caches; the clock itself
// (some 25 ns) is included.
std::vector<double> cold_ns(const std::vector<std::unique_ptr<Candidate>>& candidates,
                            const std::vector<Query>& queries, int rounds);

}  // namespace colltree
