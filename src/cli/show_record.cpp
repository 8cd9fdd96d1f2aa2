// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_record.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/profile_options.h"
#include "evaluate/recorded_cost.h"
#include "timings/call_mix.h"

namespace colltree {

namespace {

constexpr std::size_t kMostRows = 5;  // of one collective

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

double sum(const std::vector<RecordedCost>& costs, double RecordedCost::*member) {
  double all = 0;
  for (const RecordedCost& cost : costs) all += cost.*member;
  return all;
}

std::string state_text(const CallRecord& record) {
  if (record.state == "complete") return "";
  return fmt::format("the job did not end by MPI_Finalize ({}): what {} of its {} ranks saw\n",
                     record.state, record.ranks_covered, record.ranks);
}

std::string method_text(const RecordedCalls& calls) {
  return fmt::format("{} ({})", calls.method.label(), calls.why);
}

void print_rows(const RecordedCost& cost, bool profiled) {
  for (std::size_t i = 0; i < cost.rows.size() && i < kMostRows; ++i) {
    const RecordedRowCost& row = cost.rows[i];
    const RecordedCalls& calls = row.calls;
    const Instance& at = calls.instance;
    fmt::print(
        "    {:>5} ranks on {} x {}, {:>6}: {:>9} calls {:>9}  {:>9.1f} us ({:.1f} to {:.1f})  {}",
        at.communicator_size, at.nodes, at.ranks_per_node, format_bytes(at.message_size),
        calls.calls, percent(row.share), calls.total_us / static_cast<double>(calls.rank_calls),
        calls.min_us, calls.max_us, method_text(calls));
    if (row.in_profile && row.saved_share > 0)
      fmt::print("; {} would save {}", row.best.label(), percent(row.saved_share));
    if (profiled && !row.in_profile && at.communicator_size > 1) fmt::print("; not in the profile");
    fmt::print("\n");
  }
  if (cost.rows.size() > kMostRows) fmt::print("    and {} more\n", cost.rows.size() - kMostRows);
}

void print_text(const ShowRecord& options, const CallRecord& record,
                const std::vector<RecordedCost>& costs) {
  const bool profiled = !options.profile.empty();
  fmt::print("{}: {} ranks, {:.3f} s after MPI_Init, {} of it in collectives\n{}", options.record,
             record.ranks, record.seconds, percent(sum(costs, &RecordedCost::share)),
             state_text(record));
  if (!record.model.empty())
    fmt::print("model: {}{}\n", printable(record.model),
               record.model_algorithms.empty() ? "; whose algorithms is not known" : "");
  if (record.calls_lost != 0) fmt::print("{} calls found no room in it\n", record.calls_lost);
  for (const RecordedCost& cost : costs) {
    fmt::print("{:<22} {:>9} of the run, {} calls, {} by methods of ours", name(cost.collective),
               percent(cost.share), cost.calls, percent(cost.decided_share));
    if (profiled) fmt::print(", {} could be saved", percent(cost.saved_share));
    fmt::print("\n");
    print_rows(cost, profiled);
  }
  if (profiled)
    fmt::print(
        "The best methods of {} would save {} of the run; it knows calls of {} of the run.\n",
        options.profile, percent(sum(costs, &RecordedCost::saved_share)),
        percent(sum(costs, &RecordedCost::profiled_share)));
}

Json json_of(const RecordedRowCost& row) {
  const RecordedCalls& calls = row.calls;
  Json json = {{"communicator_size", calls.instance.communicator_size},
               {"nodes", calls.instance.nodes},
               {"ranks_per_node", calls.instance.ranks_per_node},
               {"message_size", calls.instance.message_size},
               {"method", calls.method.label()},
               {"why", calls.why},
               {"calls", calls.calls},
               {"rank_calls", calls.rank_calls},
               {"total_us", calls.total_us},
               {"min_us", calls.min_us},
               {"max_us", calls.max_us},
               {"share", row.share}};
  if (row.in_profile) {
    json["best"] = row.best.label();
    json["saved_share"] = row.saved_share;
  }
  return json;
}

void print_json(const CallRecord& record, const std::vector<RecordedCost>& costs) {
  Json collectives = Json::array();
  for (const RecordedCost& cost : costs) {
    Json rows = Json::array();
    for (const RecordedRowCost& row : cost.rows) rows.push_back(json_of(row));
    collectives.push_back({{"collective", name(cost.collective)},
                           {"calls", cost.calls},
                           {"bytes", cost.bytes},
                           {"rank_calls", cost.rank_calls},
                           {"total_us", cost.total_us},
                           {"share", cost.share},
                           {"decided_share", cost.decided_share},
                           {"profiled_share", cost.profiled_share},
                           {"saved_share", cost.saved_share},
                           {"rows", rows}});
  }
  const Json json = {{"state", record.state},
                     {"ranks", record.ranks},
                     {"ranks_covered", record.ranks_covered},
                     {"seconds", record.seconds},
                     {"calls_lost", record.calls_lost},
                     {"model", record.model},
                     {"model_provenance", record.model_provenance},
                     {"model_algorithms", record.model_algorithms},
                     {"model_mpi", record.model_mpi},
                     {"collectives", collectives}};
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

bool is_record_file(const std::string& path) {
  // Of a pipe nothing may be taken that another reader needs.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  char begin[32] = "";
  std::ifstream file(path, std::ios::binary);
  file.read(begin, sizeof begin - 1);
  return is_call_record(begin);
}

void show_record(const ShowRecord& options) {
  const CallRecord record = load_call_record(options.record);
  std::vector<Timings> timings;
  if (!options.profile.empty()) {
    ProfileOptions input;
    input.profile = options.profile;
    input.system = options.system;
    timings = load_system_timings(input).timings;
  }
  const std::vector<RecordedCost> costs = recorded_cost(record, timings);
  options.json ? print_json(record, costs) : print_text(options, record, costs);
}

}  // namespace colltree
