// SPDX-License-Identifier: BSD-3-Clause
#include "cli/decision_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "colltree/decision.h"
#include "model/model_file.h"

namespace colltree {

namespace {

// Negative: it does not decide for this collective.
int index_at(const colltree_decision& decision, const Instance& at) {
  const colltree_instance instance = {at.communicator_size, at.message_size, at.nodes,
                                      at.ranks_per_node};
  const int collective = colltree_decision_collective(std::string(name(at.collective)).c_str());
  return colltree_decide(&decision, collective, &instance);
}

Decisions load_compact(const std::string& path) {
  char error[512];
  const std::shared_ptr<colltree_decision> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (!decision) throw Error(error);
  const auto decide = [decision, path](const Instance& at) {
    const int index = index_at(*decision, at);
    if (index < 0)
      throw Error(fmt::format("{}: does not decide for {}", path, name(at.collective)));
    const colltree_chosen_method method = colltree_decision_method(decision.get(), index);
    if (method.segment_size == COLLTREE_SEGMENT_BY_LIBRARY)
      return parse_method_name(method.algorithm);
    return parse_method_name(method.algorithm, method.segment_size);
  };
  return {[decision](Collective collective) {
            return index_at(*decision, {collective, 1, 0}) >= 0;
          },
          decide};
}

}  // namespace

Decisions load_decisions(const std::string& path) {
  if (path.ends_with(".cdt")) return load_compact(path);
  const auto model = std::make_shared<Model>(load_model(path));
  return {[model](Collective collective) {
            return std::ranges::count(model->origin.collectives, collective) > 0;
          },
          [model](const Instance& at) { return model->decide(at); }};
}

}  // namespace colltree
