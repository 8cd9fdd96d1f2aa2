// SPDX-License-Identifier: BSD-3-Clause
// Collectives by the words that the tables of algorithms (*.def) name them with.
#pragma once

#include "coll/collective.h"

namespace colltree::collective_of {
inline constexpr Collective allgather = Collective::kAllgather;
inline constexpr Collective allgatherv = Collective::kAllgatherv;
inline constexpr Collective allreduce = Collective::kAllreduce;
inline constexpr Collective alltoall = Collective::kAlltoall;
inline constexpr Collective alltoallv = Collective::kAlltoallv;
inline constexpr Collective barrier = Collective::kBarrier;
inline constexpr Collective bcast = Collective::kBcast;
inline constexpr Collective exscan = Collective::kExscan;
inline constexpr Collective gather = Collective::kGather;
inline constexpr Collective reduce = Collective::kReduce;
inline constexpr Collective reduce_scatter = Collective::kReduceScatter;
inline constexpr Collective reduce_scatter_block = Collective::kReduceScatterBlock;
inline constexpr Collective scan = Collective::kScan;
inline constexpr Collective scatter = Collective::kScatter;
}  // namespace colltree::collective_of
