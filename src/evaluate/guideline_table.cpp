// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"
#include "evaluate/guidelines.h"

namespace colltree::evaluate {

namespace {

using Form = GuidelineForm;
using enum Collective;
using enum SizeOf;

struct Replacement {
  Collective left;
  std::vector<GuidelineTerm> right;
};

// Left out is what needs times that a profile does not hold: scan by its exclusive form and a local
// reduction; bcast by allgatherv with all data at one rank (ours has equal blocks). reduce_scatter
// was measured with equal shares, so the calls on its right may have one block size.
const std::vector<Replacement>& replacements() {
  static const std::vector<Replacement> table = {
      {kAllreduce, {{kReduce, kSame}, {kBcast, kSame}}},
      {kAllreduce, {{kReduceScatterBlock, kPart}, {kAllgather, kPart}}},
      {kAllreduce, {{kReduceScatter, kSame}, {kAllgather, kPart}}},
      {kAllgather, {{kGather, kSame}, {kBcast, kWhole}}},
      {kAllgather, {{kAlltoall, kSame}}},
      {kAllgather, {{kAllreduce, kWhole}}},
      {kAllgather, {{kAllgatherv, kSame}}},
      {kAlltoall, {{kAlltoallv, kSame}}},
      {kBarrier, {{kAllreduce, kLeast}}},
      {kBcast, {{kScatter, kPart}, {kAllgather, kPart}}},
      {kGather, {{kAllgather, kSame}}},
      {kGather, {{kReduce, kWhole}}},
      {kGather, {{kGatherv, kSame}}},
      {kReduce, {{kAllreduce, kSame}}},
      {kReduce, {{kReduceScatterBlock, kPart}, {kGather, kPart}}},
      {kReduce, {{kReduceScatter, kSame}, {kGather, kPart}}},
      {kReduceScatter, {{kReduce, kSame}, {kScatterv, kPart}}},
      {kReduceScatter, {{kReduce, kSame}, {kScatter, kPart}}},
      {kReduceScatter, {{kAllreduce, kSame}}},
      {kReduceScatterBlock, {{kReduce, kWhole}, {kScatter, kSame}}},
      {kReduceScatterBlock, {{kAllreduce, kWhole}}},
      {kReduceScatterBlock, {{kReduceScatter, kWhole}}},
      {kScatter, {{kBcast, kWhole}}},
      {kScatter, {{kScatterv, kSame}}},
  };
  return table;
}

std::string_view size_text(SizeOf size) {
  switch (size) {
    case kSame:
      return "(n)";
    case kWhole:
      return "(n p)";
    case kPart:
      return "(n/p)";
    case kLeast:
      break;
  }
  return "(the least size that was measured)";
}

Guideline guideline_of(const Replacement& row) {
  std::vector<std::string> names;
  std::vector<std::string> calls;
  for (const GuidelineTerm& term : row.right) {
    names.emplace_back(name(term.collective));
    calls.push_back(names.back() + std::string(size_text(term.size)));
  }
  const std::string left(name(row.left));
  const std::string size = message_unit(row.left) == MessageUnit::kNone ? "" : "(n)";
  return {left + " <= " + join(names, " + "), Form::kReplacement, row.left, row.right,
          left + size + " <= " + join(calls, " + ")};
}

std::vector<Guideline> make_guidelines() {
  std::vector<Guideline> all;
  for (const Replacement& row : replacements()) all.push_back(guideline_of(row));
  const auto pattern = [&](const char* name, Form form, const char* text) {
    all.push_back({name, form, std::nullopt, {}, text});
  };
  pattern("a smaller message", Form::kMessageSize, "T(n) <= T(m) for n < m");
  pattern("one message, not pieces", Form::kPieces, "T(k n) <= k T(n)");
  pattern("a smaller communicator", Form::kCommunicatorSize, "T on p ranks <= T on q for p < q");
  return all;
}

}  // namespace

std::span<const Guideline> guidelines() {
  static const std::vector<Guideline> table = make_guidelines();
  return table;
}

}  // namespace colltree::evaluate
