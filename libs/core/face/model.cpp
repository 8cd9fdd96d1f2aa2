// SPDX-License-Identifier: BSD-3-Clause
#include "colltree/model.hpp"

#include "face/values.h"
#include "model/fitter.h"
#include "model/model.h"
#include "timings/penalty.h"

namespace colltree::core {

Model::Model(colltree::model::Model content)
    : content_(std::make_shared<const colltree::model::Model>(std::move(content))) {}

Model Model::load(const std::string& file) { return Model(colltree::model::load_model(file)); }

void Model::save(const std::string& file) const { colltree::model::save_model(*content_, file); }

Method Model::decide(const Instance& instance) const {
  return outer(content_->decide(inner(instance)));
}

std::string Model::kind() const { return content_->kind; }

std::vector<std::string> Model::collectives() const {
  return names_of(content_->origin.collectives);
}

std::size_t Model::leaves() const { return colltree::model::total_shape(content_->rules).leaves; }

Model fit(const std::vector<Timings>& timings, const std::string& fitter) {
  std::vector<colltree::Timings> tables;
  for (const Timings& table : timings) tables.push_back(table_of(table));
  return Model(colltree::model::fit_and_judge(
      colltree::model::parse_fitter(fitter.empty() ? colltree::model::deployed_fitter() : fitter),
      tables));
}

Penalty penalty(const Model& model, const Timings& timings) {
  const PenaltyPoints points =
      colltree::model::penalty_points(table_of(timings), content_of(model));
  const PenaltySummary summary = summarize(points);
  return {summary.mean, summary.max, summary.instances, points.cannot_run.size(),
          summary.charged_mean};
}

}  // namespace colltree::core
