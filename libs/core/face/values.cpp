// SPDX-License-Identifier: BSD-3-Clause
#include "face/values.h"

namespace colltree::core {

colltree::Instance inner(const Instance& instance) {
  return {parse_collective(instance.collective), instance.communicator_size,
          instance.message_size_bytes, instance.nodes, instance.ranks_per_node};
}

Method outer(const colltree::Method& method) { return {method.name(), method.segment_size}; }

const colltree::Timings& table_of(const Timings& timings) { return *timings.table_; }

const colltree::model::Model& content_of(const Model& model) { return *model.content_; }

}  // namespace colltree::core
