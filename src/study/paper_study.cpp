// SPDX-License-Identifier: BSD-3-Clause
#include "study/paper_study.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "coll/catalogue.h"
#include "measure/campaign_run.h"
#include "profile/load_timings.h"

namespace colltree::study {

namespace {

bool has(const std::vector<std::uint64_t>& list, std::uint64_t value) {
  return std::ranges::find(list, value) != list.end();
}

Timings restricted(const Timings& all, const measure::CampaignRequest& request) {
  Timings some{all.system, all.provenance, all.collective, {}, {}, {}, {}};
  std::vector<std::size_t> kept;
  const std::vector<Method> wanted = paper_methods(all.collective, request.segment_sizes);
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    if (std::ranges::find(wanted, all.methods[m]) == wanted.end()) continue;
    kept.push_back(m);
    some.methods.push_back(all.methods[m]);
  }
  for (std::size_t i = 0; i < all.instances.size(); ++i) {
    const Instance& instance = all.instances[i];
    if (!has(request.grid.communicator_sizes, instance.communicator_size)) continue;
    if (!has(request.grid.message_sizes, instance.message_size)) continue;
    some.instances.push_back(instance);
    some.default_us.push_back(all.default_us[i]);
    for (const std::size_t m : kept) some.time_us.push_back(all.at(i, m));
  }
  return some;
}

std::string cell(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_integer()) return value.dump();
  return fmt::format("{:.2f}", value.get<double>());
}

}  // namespace

PaperStudy::PaperStudy(const std::string& folder, std::size_t jobs)
    : path_(std::filesystem::path(folder) / "profile.db"), jobs_(jobs) {
  make_folder(folder);
}

Timings PaperStudy::timings(const char* platform, const char* grid, Collective collective,
                            std::span<const std::uint64_t> segment_sizes) const {
  measure::CampaignRequest request;
  request.collectives = {collective};
  request.grid = measure::find_grid(grid);
  request.methods = "papers";
  request.segment_sizes.assign(segment_sizes.begin(), segment_sizes.end());
  const auto driver = measure::make_simulated_driver(measure::find_platform(platform),
                                                     measure::NoiseModel{}, jobs_);
  profile::Profile profile(path_, profile::OpenMode::kWrite);
  measure::run_campaign(request, *driver, profile);
  return restricted(profile::load_timings(profile, platform, collective), request);
}

Json PaperStudy::write(const std::vector<PaperFigure>& figures) const {
  Json paths = Json::array();
  for (const PaperFigure& figure : figures) {
    const std::filesystem::path path = path_.parent_path() / (figure.name + ".svg");
    write_file(path, figure.svg);
    paths.push_back(path.string());
  }
  return paths;
}

PenaltySummary penalty_of(const model::Model& model, const Timings& timings) {
  return summarize(model::penalty_points(timings, model));
}

void print_table(const std::string& title, const Json& rows, const char* label,
                 const std::vector<const char*>& fields) {
  constexpr int kWidth = 19;
  fmt::print("\n{}\n  {:<13}", title, label);
  for (const char* field : fields) fmt::print("{:>{}}", field, kWidth);
  fmt::print("\n");
  for (const Json& row : rows) {
    const Json& name = row.at(label);
    fmt::print("  {:<13}", name.is_string() ? name.get<std::string>() : cell(name));
    for (const char* field : fields) {
      fmt::print("{:>{}}", cell(row.at("paper").at(field)) + " / " + cell(row.at("ours").at(field)),
                 kWidth);
    }
    fmt::print("\n");
  }
}

}  // namespace colltree::study
