// SPDX-License-Identifier: BSD-3-Clause
// One token of UCC_TL_UCP_TUNE (ucc_tune.h), field by field as UCC reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "coll/collective.h"
#include "emit/rules/rule_set.h"

namespace colltree {

struct UccCollective {
  std::string_view word;
  std::optional<Collective> ours;  // none: its algorithm cannot be chosen
};
inline constexpr UccCollective kUccCollectives[] = {
    {"allgather", Collective::kAllgather},
    {"allgatherv", Collective::kAllgatherv},
    {"allreduce", Collective::kAllreduce},
    {"alltoall", Collective::kAlltoall},
    {"alltoallv", Collective::kAlltoallv},
    {"barrier", std::nullopt},
    {"bcast", Collective::kBcast},
    {"fanin", std::nullopt},
    {"fanout", std::nullopt},
    {"gather", std::nullopt},
    {"gatherv", std::nullopt},
    {"reduce", Collective::kReduce},
    {"reduce_scatter", Collective::kReduceScatterBlock},
    {"reduce_scatterv", Collective::kReduceScatter},
    {"scatter", std::nullopt},
    {"scatterv", std::nullopt}};
inline constexpr std::size_t kUccCollectiveCount = std::size(kUccCollectives);

inline constexpr std::string_view kUccMemoryTypes[] = {"host", "cuda", "cuda_managed", "rocm",
                                                       "rocm_managed"};
inline constexpr std::size_t kUccMemoryCount = std::size(kUccMemoryTypes);

inline constexpr std::uint64_t kUccInfinite = UINT64_MAX;

struct UccRange {  // without its end
  std::uint64_t begin = 0;
  std::uint64_t end = kUccInfinite;
};

struct UccToken {
  std::string_view text;
  std::optional<std::vector<std::size_t>> collectives;  // none: all
  std::optional<std::vector<std::size_t>> memory;       // none: all
  std::optional<std::uint64_t> score;
  std::optional<std::vector<UccRange>> sizes;
  std::optional<std::vector<Span>> teams;
  std::optional<std::string_view> algorithm;
};

// What stands between the separators; none is empty, as strtok has it.
std::vector<std::string_view> ucc_pieces(std::string_view text, char separator);
bool are_digits(std::string_view text);

// Whether the text is one of the fields that the token does not have yet; in UCC's order, because a
// number is a score.
bool read_ucc_field(std::string_view text, UccToken& token);

}  // namespace colltree
