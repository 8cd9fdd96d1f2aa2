// SPDX-License-Identifier: BSD-3-Clause
#include "cli/decision_file.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "colltree/decision.h"
#include "model/model_file.h"

namespace colltree {

namespace {

Decisions load_compact(const std::string& path) {
  char error[512];
  const std::shared_ptr<colltree_decision> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (!decision) throw Error(error);
  return [decision](const Instance& at) -> std::optional<Method> {
    const colltree_instance instance = {at.communicator_size, at.message_size, at.nodes,
                                        at.ranks_per_node};
    const int collective = colltree_decision_collective(std::string(name(at.collective)).c_str());
    const int index = colltree_decide(decision.get(), collective, &instance);
    if (index < 0) return std::nullopt;
    const colltree_chosen_method method = colltree_decision_method(decision.get(), index);
    if (method.segment_size == COLLTREE_SEGMENT_BY_LIBRARY)
      return parse_method_name(method.algorithm);
    return parse_method_name(method.algorithm, method.segment_size);
  };
}

}  // namespace

Decisions load_decisions(const std::string& path) {
  if (path.ends_with(".cdt")) return load_compact(path);
  const auto model = std::make_shared<Model>(load_model(path));
  return [model](const Instance& at) -> std::optional<Method> {
    if (std::ranges::count(model->origin.collectives, at.collective) == 0) return std::nullopt;
    return model->decide(at);
  };
}

}  // namespace colltree
