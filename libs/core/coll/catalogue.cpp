// SPDX-License-Identifier: BSD-3-Clause
#include "coll/catalogue.h"

#include <algorithm>

#include "base/text.h"

namespace colltree {

namespace {

constexpr std::uint64_t kPaperSegmentSizes[] = {0,        1 << 10,  8 << 10,  16 << 10,
                                                32 << 10, 64 << 10, 128 << 10};

// A tree or an exchange of a radix not below the communicator size is one of this size: it goes by
// the smallest power of two that does. The bare name has it where its own radix is as good.
std::uint64_t said_radix(const AlgorithmInfo& info, std::uint64_t radix, std::uint64_t ranks) {
  while (radix / 2 >= ranks && radix > 2) radix /= 2;
  const bool flat = radix >= ranks && info.radix >= ranks;
  return flat || radix == info.radix ? 0 : radix;
}

MethodParameters effective_parameters(const AlgorithmInfo& info, MethodParameters parameters,
                                      const Instance& instance) {
  parameters.radix = (info.parameters & kRadix) == 0 || parameters.radix == 0
                         ? 0
                         : said_radix(info, parameters.radix, instance.communicator_size);
  // The bare name of an algorithm without segments has all in flight that a rank can have.
  const bool sends_all = !info.segmented() && parameters.requests + 1 >= instance.communicator_size;
  if ((info.parameters & kRequests) == 0 || sends_all) parameters.requests = 0;
  // The bare name has all ranks of a node lead it.
  if ((info.parameters & kFanout) == 0 || parameters.fanout >= instance.ranks_per_node)
    parameters.fanout = 0;
  return parameters;
}

}  // namespace

std::span<const std::uint64_t> paper_segment_sizes() { return kPaperSegmentSizes; }

namespace {

void add_methods(const AlgorithmInfo& info, const MethodParameters& parameters,
                 std::span<const std::uint64_t> segment_sizes, std::vector<Method>& methods) {
  const std::string algorithm(info.algorithm);
  if ((info.needs & kSmallSegments) == 0) methods.push_back({algorithm, 0, parameters});
  if (!info.segmented()) return;
  for (const std::uint64_t segment_size : segment_sizes) {
    if (segment_size != 0) methods.push_back({algorithm, segment_size, parameters});
  }
}

}  // namespace

std::vector<Method> portable_methods(Collective collective,
                                     std::span<const std::uint64_t> segment_sizes,
                                     const ParameterValues& values) {
  std::vector<Method> methods;
  for (const AlgorithmInfo& info : portable_algorithms()) {
    if (info.collective != collective) continue;
    add_methods(info, {}, segment_sizes, methods);
    const std::uint32_t tried =
        info.segmented() && !values.tree_requests ? info.parameters & ~kRequests : info.parameters;
    for (const MethodParameters& parameters : parameter_choices(tried, values)) {
      if (parameters.radix != info.radix || info.radix == 0)
        add_methods(info, parameters, segment_sizes, methods);
    }
  }
  return methods;
}

std::vector<Method> paper_methods(Collective collective,
                                  std::span<const std::uint64_t> segment_sizes) {
  std::vector<Method> methods;
  for (const AlgorithmInfo& info : portable_algorithms()) {
    if (info.collective == collective && info.measured == Measured::kPapers)
      add_methods(info, {}, segment_sizes, methods);
  }
  return methods;
}

Method effective_method(const Method& method, const Instance& instance) {
  if (!method.segment_size) return method;
  std::uint64_t segment_size = *method.segment_size;
  const AlgorithmInfo* info = find_portable_algorithm(instance.collective, method.algorithm);
  if (info == nullptr) {
    if (segment_size >= instance.message_size) segment_size = 0;
    return {method.algorithm, segment_size, method.parameters};
  }
  // A row without a fallback stands for itself, also at sizes that no call has (0 ranks).
  while (!can_run(*info, instance, segment_size) && info->fallback != info->algorithm) {
    info = find_portable_algorithm(instance.collective, info->fallback);
  }
  if (!info->segmented() || segment_size >= piece_of(*info, instance)) segment_size = 0;
  return {std::string(info->algorithm), segment_size,
          effective_parameters(*info, method.parameters, instance)};
}

std::vector<Method> applicable_methods(std::span<const Method> methods, const Instance& instance) {
  std::vector<Method> applicable;
  for (const Method& method : methods) {
    if (effective_method(method, instance) == method) applicable.push_back(method);
  }
  return applicable;
}

std::vector<Method> parse_methods(std::string_view text, Collective collective,
                                  std::span<const std::uint64_t> segment_sizes,
                                  const ParameterValues& values) {
  if (text == "papers") {
    std::vector<Method> methods = paper_methods(collective, segment_sizes);
    methods.push_back(library_default());
    return methods;
  }
  std::vector<Method> known = portable_methods(collective, segment_sizes, values);
  known.push_back(library_default());
  return select_methods(text, known, collective);
}

namespace {

bool needs_any(std::uint32_t needs, Collective collective, const Method& method) {
  const AlgorithmInfo* info = find_portable_algorithm(collective, method.algorithm);
  return info != nullptr && (info->needs & needs) != 0;
}

}  // namespace

bool knows_nodes(Collective collective, const Method& method) {
  return needs_any(kHierarchy | kOneNode, collective, method);
}

bool shares_memory(Collective collective, const Method& method) {
  return needs_any(kOneNode | kNodeMemory, collective, method);
}

std::size_t catalogue_rank(Collective collective, const Method& method) {
  const AlgorithmInfo* info = find_portable_algorithm(collective, method.algorithm);
  return info == nullptr ? portable_algorithms().size()
                         : static_cast<std::size_t>(info - portable_algorithms().data());
}

namespace {

// The texts stand in the order of SumTree.
constexpr std::string_view kTreeTexts[] = {"unordered",
                                           "one by one, ranks falling",
                                           "one by one, ranks rising",
                                           "chain",
                                           "binomial tree",
                                           "{}-nomial tree",
                                           "binary tree",
                                           "binary tree over ranks",
                                           "near pairs",
                                           "near groups of up to {}",
                                           "far pairs",
                                           "blocks",
                                           "binomial tree over ranks"};

}  // namespace

std::string text_of(const SumOrder& order) {
  const std::string_view text = kTreeTexts[static_cast<std::size_t>(order.tree)];
  return with_value(std::string(text), "", std::to_string(order.radix));
}

bool adds_up(Collective collective) {
  return std::ranges::any_of(portable_algorithms(), [&](const AlgorithmInfo& row) {
    return row.collective == collective && row.sums != SumTree::kUnordered;
  });
}

std::optional<SumOrder> sum_order(Collective collective, const Method& method) {
  const AlgorithmInfo* row = find_portable_algorithm(collective, method.algorithm);
  if (row == nullptr || row->sums == SumTree::kUnordered) return std::nullopt;
  if (row->radix == 0) return SumOrder{row->sums, 0};
  return SumOrder{row->sums, method.parameters.radix == 0 ? row->radix : method.parameters.radix};
}

}  // namespace colltree
