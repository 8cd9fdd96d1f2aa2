// SPDX-License-Identifier: BSD-3-Clause
#include "rules/openmpi/openmpi_methods.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "coll/library_methods.h"

namespace colltree::rules {

namespace {

// The fan-out and radix if a method names none: coll_tuned_init_chain_fanout and
// coll_tuned_bcast_algorithm_knomial_radix. Forced algorithms are measured with these.
constexpr std::uint64_t kForcedFanout = 4;
constexpr std::uint64_t kForcedRadix = 4;

// The collectives in the order of Open MPI's numbers for them.
const std::vector<std::string_view>& collective_names() {
  static const std::vector<std::string_view> kNames = split(
      "allgather allgatherv allreduce alltoall alltoallv alltoallw barrier bcast exscan gather "
      "gatherv reduce reduce_scatter reduce_scatter_block scan scatter scatterv neighbor_allgather "
      "neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw",
      ' ');
  return kNames;
}

constexpr std::string_view kUnknownAlgorithm = "algorithm_";

std::string version_text(int version) { return fmt::format("{}.{}", version / 10, version % 10); }

}  // namespace

std::optional<SizeKey> openmpi_size_key(Collective collective) {
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kAllgatherv:     // the average over the ranks
    case Collective::kReduceScatter:  // the total, as message_size is
      return SizeKey::kMessage;
    case Collective::kAllgather:
    case Collective::kAlltoall:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kReduceScatterBlock:
      return SizeKey::kTimesRanks;
    case Collective::kBarrier:
    case Collective::kAlltoallv:  // always looked up as 0
    case Collective::kScan:       // type size x ranks: the count is forgotten
    case Collective::kExscan:
      return SizeKey::kNone;
    case Collective::kGatherv:
    case Collective::kScatterv:
      return std::nullopt;
  }
  return std::nullopt;
}

OpenmpiTarget::OpenmpiTarget(TargetFacts facts)
    : RuleTarget((facts.library = Library::kOpenmpi, facts.is_started = true, facts)) {}

std::vector<std::string> OpenmpiTarget::settings(const std::string& file) const {
  return {"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
          "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + file};
}

Expressed OpenmpiTarget::express(Collective collective, const Method& method) const {
  if (!told_unknown(method.algorithm).empty())
    return {std::nullopt, fmt::format("{} '{}': what it needs and breaks is not known",
                                      colltree::name(collective), method.name())};
  if (is_library_default(method)) return {library_default(), ""};
  const LibraryAlgorithm* algorithm =
      find_algorithm(Library::kOpenmpi, collective, method.algorithm);
  if (algorithm == nullptr || algorithm->since > version) {
    return {std::nullopt, fmt::format("Open MPI {} has no {} '{}'", version_text(version),
                                      colltree::name(collective), method.name())};
  }
  if (is_of_han(*algorithm))
    return {std::nullopt,
            fmt::format("{} '{}': coll/han's choice, which a file for openmpi-han says",
                        colltree::name(collective), method.name())};
  check_parameters(method);
  const MethodParameters& asked = method.parameters;
  MethodParameters parameters;
  const auto has = [&](AlgorithmParameter parameter) {
    return (algorithm->parameters & parameter) != 0;
  };
  std::string reason;
  if (has(kFanout)) parameters.fanout = asked.fanout == 0 ? kForcedFanout : asked.fanout;
  if (has(kRadix) && asked.radix != 0 && asked.radix != kForcedRadix) {
    reason = fmt::format(
        "{} {}: rules cannot set the radix; --mca coll_tuned_{}_algorithm_knomial_"
        "radix {} sets it for the whole job",
        colltree::name(collective), algorithm->algorithm, colltree::name(collective), asked.radix);
  }
  if (has(kRequests) && asked.requests != 0) {
    if (std::string_view(name) == "openmpi-4.1") {
      reason = fmt::format("{} {}: rules of Open MPI 4.1 cannot set the number of requests ({})",
                           colltree::name(collective), algorithm->algorithm, asked.requests);
    } else {
      parameters.requests = asked.requests;
    }
  }
  std::optional<std::uint64_t> segment;
  if (has(kSegmentSize)) segment = method.segment_size.value_or(0);
  return {Method{std::string(algorithm->algorithm), segment, parameters}, reason};
}

OpenmpiColumns openmpi_columns(Collective collective, const Method& canonical) {
  if (is_library_default(canonical)) return {};
  const LibraryAlgorithm* algorithm =
      find_algorithm(Library::kOpenmpi, collective, canonical.algorithm);
  if (algorithm == nullptr)
    return {parse_number<std::uint64_t>(canonical.algorithm.substr(kUnknownAlgorithm.size()))
                .value_or(0)};
  return {static_cast<std::uint64_t>(algorithm->id), canonical.parameters.fanout,
          canonical.segment_size.value_or(0), canonical.parameters.requests};
}

std::optional<Method> openmpi_method(const RuleTarget& target, Collective collective,
                                     const OpenmpiColumns& columns,
                                     std::vector<std::string>& problems) {
  if (columns.algorithm == 0) return library_default();
  const LibraryAlgorithm* algorithm =
      columns.algorithm > 99
          ? nullptr
          : find_algorithm(Library::kOpenmpi, collective, static_cast<int>(columns.algorithm));
  if (algorithm == nullptr || algorithm->since > target.version) return std::nullopt;
  const auto has = [&](AlgorithmParameter parameter) {
    return (algorithm->parameters & parameter) != 0;
  };
  const auto take = [&](AlgorithmParameter parameter, std::uint64_t value, const char* what) {
    if (has(parameter)) return value;
    if (value != 0) {
      problems.push_back(fmt::format("{} {} takes no {}; {} has no effect", name(collective),
                                     algorithm->algorithm, what, value));
    }
    return std::uint64_t{0};
  };
  // A fan-out of 0 means one chain.
  MethodParameters parameters{.fanout = take(kFanout, columns.fanout, "fan-out")};
  if (has(kFanout) && parameters.fanout == 0) parameters.fanout = 1;
  parameters.requests = take(kRequests, columns.requests, "number of requests");
  std::optional<std::uint64_t> segment = take(kSegmentSize, columns.segment_size, "segment size");
  if (!has(kSegmentSize)) segment.reset();
  return Method{std::string(algorithm->algorithm), segment, parameters};
}

Method unknown_openmpi_method(std::uint64_t id) {
  return {fmt::format("{}{}", kUnknownAlgorithm, id), 0};
}

std::optional<int> openmpi_collective_id(Collective collective) {
  if (!openmpi_size_key(collective)) return std::nullopt;
  const auto found = std::ranges::find(collective_names(), name(collective));
  return static_cast<int>(found - collective_names().begin());
}

std::optional<Collective> openmpi_collective(std::uint64_t id) {
  if (id >= kOpenmpiCollectives) return std::nullopt;
  const auto collective = find_collective(collective_names()[id]);
  if (!collective || !openmpi_size_key(*collective)) return std::nullopt;
  return collective;
}

std::string_view openmpi_collective_name(std::uint64_t id) {
  return id < kOpenmpiCollectives ? collective_names()[id] : std::string_view();
}

}  // namespace colltree::rules
