// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/safety.h"

#include <fmt/format.h>

namespace colltree {

std::string hazard_of(const RuleTarget& target, Collective collective, const Rule& rule) {
  if (target.library != Library::kOpenmpi || is_library_default(rule.method)) return {};
  const LibraryAlgorithm* algorithm =
      find_algorithm(Library::kOpenmpi, collective, rule.method.algorithm);
  if (algorithm == nullptr) return {};
  const std::string label = fmt::format("{} {}", name(collective), algorithm->algorithm);
  if ((algorithm->hazards & kNonCommutative) != 0) {
    return label + " gives wrong results for operations that are not commutative";
  }
  if ((algorithm->hazards & kTypeSignature) != 0) {
    return label + " fails or hangs where ranks give one message by different counts and types";
  }
  const bool segmented = rule.method.segment_size.value_or(0) != 0;
  if ((algorithm->hazards & kTypeSignatureSegmented) != 0 && segmented) {
    return label +
           " with segments fails or hangs where ranks give one message by different "
           "counts and types";
  }
  if ((algorithm->hazards & kFailsElsewhere) != 0 && rule.communicator_size.most > 2) {
    return label + " is an error for other than 2 ranks";
  }
  return {};
}

bool needs_one_size(const RuleTarget& target, Collective collective) {
  return target.library == Library::kOpenmpi &&
         (collective == Collective::kGather || collective == Collective::kScatter);
}

}  // namespace colltree
