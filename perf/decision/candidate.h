// SPDX-License-Identifier: BSD-3-Clause
// One representation of a decision function, as a program would call it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/kinds/quadtree.h"
#include "model/model.h"

namespace colltree {

struct Query {
  std::uint64_t communicator_size;
  std::uint64_t message_size;
};

class Candidate {
 public:
  Candidate(std::string the_model, std::string the_form, std::size_t the_bytes)
      : model(std::move(the_model)), form(std::move(the_form)), bytes(the_bytes) {}
  virtual ~Candidate() = default;
  // The sum of the method indices over all queries: one call of the decision for each.
  virtual std::uint64_t decide_all(const std::vector<Query>& queries) const = 0;

  std::string model;  // "quadtree depth 3"
  std::string form;   // "C", "tree", "table", "memory"
  std::size_t bytes;  // code, file or structure
};

// The tree in memory as the 2007 prototype had it: index of each size, then down the nodes.
std::unique_ptr<Candidate> in_memory(const std::string& model, const model::LabelGrid& grid,
                                     model::CellTree tree);
// `target` is a row of the emitter table: "cdt", "tree" or "table".
std::unique_ptr<Candidate> compact_file(const std::string& model, const model::Model& function,
                                        const std::string& target, Collective collective);
// Compiled by the system's compiler with -O2 and loaded. Form "C nested": ifs; "C": what `emit c`
// chooses.
std::unique_ptr<Candidate> generated_c(const std::string& model, const model::Model& function,
                                       const std::string& form, Collective collective);

}  // namespace colltree
