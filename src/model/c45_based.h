// SPDX-License-Identifier: BSD-3-Clause
// What the C4.5 tree and the production rules made from it have in common: a table of cases to
// learn from, whose columns are C45Features and whose classes are methods, and how that is kept in
// M.json.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/c45/train.h"
#include "model/c45_options.h"
#include "model/kind.h"

namespace colltree {

class C45Based : public DecisionFunction {
 public:
  const ModelOrigin& origin() const final { return origin_; }
  const std::vector<Method>& methods() const final { return methods_; }
  Json parameters() const final { return to_json(options_); }
  Json statistics() const final { return statistics_; }
  void add_statistic(const std::string& name, Json value) final;

 protected:
  // A fit; what is learned from the table and its statistics are the kind's.
  C45Based(ModelOrigin origin, const C45Table& table, const C45Options& options);
  // All but the body, of which only "attributes". Throws Error.
  explicit C45Based(const StoredModel& stored);

  static c45::Training train(const C45Table& table, const C45Options& options);
  void set_statistics(Json statistics) { statistics_ = std::move(statistics); }

  const std::vector<C45Feature>& features() const { return features_; }
  c45::Schema schema() const;
  Json attributes_json() const;  // the field "attributes" of the body
  // Among the origin's collectives. Throws Error for another one.
  std::size_t index_of(Collective collective) const;

  // Of a body that was read. They throw Error that begins with `where`: no such method; no such
  // attribute, or a threshold of the collective, or something else of a number.
  void check_method(const std::string& where, std::uint32_t method) const;
  void check_test(const std::string& where, std::uint32_t attribute, bool is_threshold,
                  const char* what) const;

 private:
  ModelOrigin origin_;
  C45Options options_;
  std::vector<Method> methods_;       // by class
  std::vector<C45Feature> features_;  // by attribute
  Json statistics_;
};

// The kind of a class above, which fits from timings and options and reads a StoredModel.
template <typename Model>
Kind c45_kind(const char* name, const char* summary) {
  return {name, summary, c45_parameters(),
          [](const std::vector<Timings>& timings,
             const Parameters& parameters) -> std::unique_ptr<DecisionFunction> {
            return std::make_unique<Model>(origin_of(timings), timings, c45_options(parameters));
          },
          [](StoredModel stored) -> std::unique_ptr<DecisionFunction> {
            return std::make_unique<Model>(stored);
          }};
}

}  // namespace colltree
