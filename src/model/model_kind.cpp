// SPDX-License-Identifier: BSD-3-Clause
#include "model/model_kind.h"

namespace colltree {

std::unique_ptr<DecisionFunction> read_rules(StoredModel stored);  // rule_model.cpp

namespace {

constexpr ModelKind kKinds[] = {
    {"rules", read_rules},
};

}  // namespace

std::span<const ModelKind> model_kinds() { return kKinds; }

}  // namespace colltree
