// SPDX-License-Identifier: BSD-3-Clause
// `colltree study predict`: what methods take where nothing was measured, by the network model
// LogGP (docs/tasks/predicting.md).
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/csv_fields.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "coll/catalogue.h"
#include "parametric/formulas.h"
#include "parametric/parameters.h"
#include "parametric/prediction.h"

namespace colltree::cli {

namespace {

struct PredictOptions {
  ProfileOptions input;
  std::string methods;  // "": all that were measured, ranked
  SizeList communicator_sizes;
  SizeList message_sizes;
  std::uint32_t most = 5;
  bool csv = false;
};

struct PredictedRow {
  Instance at;
  Method method;
  parametric::Prediction prediction;
};

struct Predictions {
  profile::SystemInfo system;
  Collective collective = Collective::kBcast;
  std::vector<PredictedRow> rows;
};

// Those that were asked for, else those that were measured and have a formula.
std::vector<Method> wanted_methods(const PredictOptions& options, const Timings& timings) {
  if (!options.methods.empty()) {
    const std::vector<Method> methods =
        parse_methods(options.methods, timings.collective, paper_segment_sizes());
    if (std::ranges::any_of(methods, is_library_default))
      throw UsageError("--methods: there is no formula for the library's own choice");
    return methods;
  }
  std::vector<Method> methods;
  for (const Method& method : timings.methods) {
    if (parametric::has_formula(timings.collective, method)) methods.push_back(method);
  }
  if (methods.empty()) {
    throw Error(
        fmt::format("{}: no method of {} there has a formula; --methods names some: "
                    "colltree measure methods --collective {}",
                    options.input.profile, name(timings.collective), name(timings.collective)));
  }
  return methods;
}

// A method that is another one here is left to that one.
std::vector<PredictedRow> rows_at(const parametric::Predictor& predictor,
                                  const std::vector<Method>& methods, const Instance& at) {
  std::vector<PredictedRow> rows;
  for (const Method& method : applicable_methods(methods, at)) {
    if (auto prediction = predictor.predict(method, at))
      rows.push_back({at, method, std::move(*prediction)});
  }
  std::ranges::stable_sort(rows, [](const PredictedRow& one, const PredictedRow& other) {
    return one.prediction.time_us < other.prediction.time_us;
  });
  return rows;
}

// Without timings of the collective the formulas stand alone.
Timings timings_to_correct_by(const profile::Profile& profile, const ProfileOptions& options,
                              const profile::SystemInfo& system, Collective collective) {
  auto timings = profile::find_timings(profile, system.name, collective, load_options(options));
  if (timings) return std::move(*timings);
  return {.system = system.name, .provenance = system.provenance, .collective = collective};
}

Predictions make_predictions(const PredictOptions& options) {
  Predictions made;
  const profile::Profile profile(options.input.profile, profile::OpenMode::kRead);
  made.system = profile.require_system(options.input.system);
  made.collective = parse_collective(options.input.collectives);
  const Timings timings =
      timings_to_correct_by(profile, options.input, made.system, made.collective);
  const std::vector<Method> methods = wanted_methods(options, timings);
  const parametric::Predictor predictor(
      MeasuredNetwork(options.input, made.system).of(made.collective), timings);
  for (const std::uint64_t ranks : options.communicator_sizes.sizes) {
    for (const std::uint64_t bytes : options.message_sizes.sizes) {
      std::vector<PredictedRow> rows = rows_at(predictor, methods, {made.collective, ranks, bytes});
      if (options.methods.empty() && rows.size() > options.most) rows.resize(options.most);
      std::ranges::move(rows, std::back_inserter(made.rows));
    }
  }
  return made;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json row_json(const PredictedRow& row) {
  const parametric::Prediction& p = row.prediction;
  Json json = {{"communicator_size", row.at.communicator_size},
               {"message_size", row.at.message_size},
               {"method", row.method.label()},
               {"algorithm", row.method.name()},
               {"time_us", p.time_us},
               {"formula_us", p.formula_us},
               {"measured_us", optional_json(p.measured_us)},
               {"extrapolated", p.extrapolated},
               {"cells", p.cells},
               {"cells_of", p.from}};
  json["segment_size"] = row.method.segment_size ? Json(*row.method.segment_size) : Json();
  json["interval_us"] = p.interval_us ? Json{{"low", p.interval_us->low},
                                             {"high", p.interval_us->high},
                                             {"confidence", p.confidence()}}
                                      : Json();
  return json;
}

void print_json(const Predictions& made) {
  Json rows = Json::array();
  for (const PredictedRow& row : made.rows) rows.push_back(row_json(row));
  fmt::print("{}\n", Json{{"system", made.system.name},
                          {"provenance", made.system.provenance},
                          {"collective", name(made.collective)},
                          {"model", kNetworkModel},
                          {"predictions", rows}}
                         .dump(2));
}

std::string csv_number(const std::optional<double>& value) {
  return value ? format_double(*value) : "";
}

void print_csv(const Predictions& made) {
  fmt::print(
      "system,collective,model,communicator_size,message_size,algorithm,segment_bytes,time_us,"
      "low_us,high_us,formula_us,measured_us,cells,extrapolated\n");
  for (const PredictedRow& row : made.rows) {
    const parametric::Prediction& p = row.prediction;
    const auto low = p.interval_us ? std::optional(p.interval_us->low) : std::nullopt;
    const auto high = p.interval_us ? std::optional(p.interval_us->high) : std::nullopt;
    fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(made.system.name),
               name(made.collective), kNetworkModel, row.at.communicator_size, row.at.message_size,
               csv_field(row.method.name()),
               row.method.segment_size ? std::to_string(*row.method.segment_size) : "",
               format_double(p.time_us), csv_number(low), csv_number(high),
               format_double(p.formula_us), csv_number(p.measured_us), p.cells,
               p.extrapolated ? 1 : 0);
  }
}

std::string interval_text(const parametric::Prediction& p) {
  if (!p.interval_us) return "-";
  return fmt::format("{:.4g}..{:.4g}", p.interval_us->low, p.interval_us->high);
}

void print_text(const Predictions& made) {
  fmt::print("{} on {} ({}), by {}\n", name(made.collective), made.system.name,
             made.system.provenance, kNetworkModel);
  fmt::print("  {:>8} {:>10}  {:<22} {:>10}  {:>21}  {:>10}  {:>11}\n", "ranks", "bytes", "method",
             "time us", "95 %", "formula us", "measured us");
  bool extrapolated = false;
  for (const PredictedRow& row : made.rows) {
    const parametric::Prediction& p = row.prediction;
    extrapolated |= p.extrapolated;
    fmt::print("  {:>8} {:>10}  {:<22} {:>10.4g}{} {:>21}  {:>10.4g}  {:>11}\n",
               row.at.communicator_size, row.at.message_size, row.method.label(), p.time_us,
               p.extrapolated ? '*' : ' ', interval_text(p), p.formula_us,
               p.measured_us ? fmt::format("{:.4g}", *p.measured_us) : "-");
  }
  if (extrapolated)
    fmt::print(
        "  * extrapolated: beyond the measured sizes, where nothing says that the interval "
        "holds\n");
}

void predict(const PredictOptions& options) {
  if (options.csv && options.input.json) throw UsageError("--csv and --json: give one of them");
  const Predictions made = make_predictions(options);
  if (options.input.json) return print_json(made);
  if (options.csv) return print_csv(made);
  print_text(made);
}

}  // namespace

void declare_predict(CommandLine& line) {
  auto options = std::make_shared<PredictOptions>();
  line.add("profile", options->input.profile, "the profile (P.db)").required();
  line.add("--system", options->input.system, "the system, if the profile holds several");
  line.add("--collective", options->input.collectives, "the collective").required();
  line.add(
      "--methods", options->methods,
      "methods to predict, comma-separated, e.g. Binomial_8K,pipeline (default: the best of those "
      "measured)");
  line.add_sizes("--communicator-sizes", options->communicator_sizes, limits::kAskedRanks,
                 "numbers of ranks to predict for, as a list with ranges")
      .required();
  line.add_sizes("--message-sizes", options->message_sizes, limits::kPredictedBytes,
                 "message sizes in bytes to predict for, as a list with ranges")
      .required();
  line.add("--most", options->most, {1, 1000},
           "without --methods: the number of best methods to predict")
      .show_default();
  line.add_flag("--csv", options->csv, "print the results as CSV");
  line.add_flag("--json", options->input.json, "print the results as JSON");
  line.set_work([options] { predict(*options); });
}

}  // namespace colltree::cli
