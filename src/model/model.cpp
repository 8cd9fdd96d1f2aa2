// SPDX-License-Identifier: BSD-3-Clause
#include "model/model.h"

namespace colltree {

ModelOrigin origin_of(const std::vector<Timings>& timings) {
  ModelOrigin origin{.system = timings.at(0).system, .provenance = timings[0].provenance};
  for (const Timings& one : timings) {
    origin.collectives.push_back(one.collective);
    origin.instances += one.instances.size();
    if (one.one_order) origin.one_orders.push_back(*one.one_order);
  }
  origin.timings = hash_of(timings);
  origin.algorithms = timings[0].algorithms;
  origin.mpi = timings[0].mpi;
  return origin;
}

const Method& Model::decide(const Instance& instance) const {
  return colltree::decide(rules, instance);
}

PenaltyPoints penalty_points(const Timings& timings, const Model& model) {
  return penalty_points(timings, [&](const Instance& at) { return model.decide(at); });
}

}  // namespace colltree
