// SPDX-License-Identifier: BSD-3-Clause
/* A model is a small decision function, from instance to method, that was fitted to timings. It is
 * kept as a file, M.json (docs/reference/formats/model.md), which `colltree fit` writes too.
 *
 *   #include <colltree/model.hpp>
 *   const auto timings = colltree::core::Timings::load("grig.db", "bcast");
 *   const auto model = colltree::core::fit({timings});
 *   const auto method = model.decide({"bcast", 25, 480});
 *   std::printf("%s, at most %.1f %% lost\n", method.algorithm.c_str(),
 *               100 * penalty(model, timings).max);
 *   model.save("bcast.json");
 *
 * Program, errors and threads: timings.hpp. */
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "colltree/timings.hpp"

namespace colltree::model {
struct Model;  // colltree's own
}  // namespace colltree::model

namespace colltree::core {

class Model {
 public:
  static Model load(const std::string& file);
  void save(const std::string& file) const;

  // Every instance of the model's collectives has a method; beyond the measured sizes it is that of
  // the nearest region. Throws for another collective. Cost: some 50 ns and a copy of the method's
  // name; a program that decides at each call takes decision.h.
  Method decide(const Instance& instance) const;

  std::string kind() const;  // "optimal", "quadtree", "c45", ...
  std::vector<std::string> collectives() const;
  std::size_t leaves() const;

 private:
  friend const colltree::model::Model& content_of(const Model& model);
  friend Model fit(const std::vector<Timings>&, const std::string&);
  explicit Model(colltree::model::Model content);

  std::shared_ptr<const colltree::model::Model> content_;
};

// Fits one model to the tables of one or more collectives. `fitter` is a kind with its parameters,
// as `colltree evaluate compare --fit` takes it: "quadtree:max_depth=3",
// "c45:weight=40,confidence=5", "optimal:leaves=10". "" is the tree that `colltree tune`
// deploys. Cost: milliseconds to seconds, at most minutes for exact trees of hundreds of leaves.
Model fit(const std::vector<Timings>& timings, const std::string& fitter = "");

// The performance penalty (2006, equation 6) of the model's choices at the instances of a table:
// (time of the chosen method - least time) / least time, a fraction. On timings that the model was
// fitted to these are training penalties.
struct Penalty {
  double mean = 0;
  double max = 0;
  // The instances where the chosen method has a time; the figures above are over these.
  std::size_t instances = 0;
  // Those where it has none: the model must not be used there.
  std::size_t cannot_run = 0;
  // Over both, with the slowest method's time where the chosen cannot run: compare models by it.
  double charged_mean = 0;
};
Penalty penalty(const Model& model, const Timings& timings);

}  // namespace colltree::core
