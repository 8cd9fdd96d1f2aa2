// SPDX-License-Identifier: BSD-3-Clause
// The values of the public headers (include/colltree) as the types of this library, and back.
#pragma once

#include "coll/method.h"
#include "colltree/model.hpp"

namespace colltree::core {

// Throws Error for a collective that does not exist.
colltree::Instance inner(const Instance& instance);
Method outer(const colltree::Method& method);
const colltree::Timings& table_of(const Timings& timings);
const colltree::model::Model& content_of(const Model& model);

}  // namespace colltree::core
