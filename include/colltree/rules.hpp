// SPDX-License-Identifier: BSD-3-Clause
/* A model as the file of another program: rules that an MPI library loads, C source, or a compact
 * decision file (`colltree emit --help` lists the targets).
 *
 *   #include <colltree/rules.hpp>
 *   const auto model = colltree::core::Model::load("bcast.json");
 *   const auto rules = colltree::core::write_rules(model, "openmpi-4.1");
 *   std::ofstream("bcast.rules") << rules.content;
 *   for (const auto& note : rules.notes) std::cerr << note << '\n';
 *
 * find_package(colltree COMPONENTS rules), target colltree::rules. Errors and threads:
 * timings.hpp. */
#pragma once

#include <string>
#include <vector>

#include "colltree/model.hpp"

namespace colltree::core {

struct Written {
  std::string content;
  // A line for everything that the target cannot say, with its cost if there were timings.
  std::vector<std::string> notes;
};

// The targets' names, of one library from old to new.
std::vector<std::string> rule_targets();

// Returns the model as the file of a target. Methods that the target does not have, and those that
// can break a correct program there, are replaced; with timings, one table for each collective, by
// those that lose least, and the notes name the loss.
Written write_rules(const Model& model, const std::string& target,
                    const std::vector<Timings>& timings = {});

// Reads a rules file as the library would and returns the method that runs at an instance; the
// algorithm "default" where no rule applies. Throws at the first error for which the library would
// refuse or misread the file. `target` "" finds the format of rules by the content.
Method decide_by_rules(const std::string& content, const Instance& instance,
                       const std::string& target = "");

}  // namespace colltree::core
