// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "cli/record_sites.h"
#include "timings/call_mix.h"
#include "timings/recorded_cost.h"

namespace colltree::cli {

namespace {

constexpr std::size_t kMostRows = 5;  // of one collective

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

double sum(const std::vector<RecordedCost>& costs, double RecordedCost::*member) {
  double total = 0;
  for (const RecordedCost& cost : costs) total += cost.*member;
  return total;
}

std::string state_text(const CallRecord& record) {
  if (record.state == "complete") return "";
  return fmt::format("the job did not end by MPI_Finalize ({}): what {} of its {} ranks saw\n",
                     record.state, record.ranks_covered, record.ranks);
}

// The words of a record (docs/reference/formats/record.md) in plain English.
constexpr std::pair<std::string_view, std::string_view> kWhy[] = {
    {"model", "colltree's methods that the model chose"},
    {"forced", "colltree's methods that COLLTREE_FORCE named"},
    {"fallback", "their fallbacks: the call does not meet what they need"},
    {"default", "the model leaves it to the library"},
    {"forced_default", "COLLTREE_FORCE leaves it to the library"},
    {"not_ours", "the model names a method that is not ours"},
    {"no_model", "no model decides for it"},
    {"one_rank", "communicators of one rank"},
    {"no_data", "messages without bytes"},
    {"no_size", "no size that all ranks know"},
    {"not_possible", "no communicator for our messages"},
    {"disagreement", "ranks did not call the same"},
    {"device_memory", "ranks with a device runtime"},
    {"arguments", "arguments that MPI must judge"},
    {"intercommunicator", "intercommunicators"},
    {"other_ranks", "communicators with ranks of another MPI_COMM_WORLD"},
    {"no_methods", "colltree has no method for it"},
    {"neighbourhood", "neighbourhood collectives"},
    {"large_count", "functions with large counts"},
    {"nonblocking", "nonblocking"},
    {"persistent", "persistent"}};

std::string why_text(std::string_view why) {
  const auto* known =
      std::ranges::find(kWhy, why, &std::pair<std::string_view, std::string_view>::first);
  return known == std::end(kWhy) ? printable(why) : std::string(known->second);
}

// The shares of the time of the timed calls, the greatest first.
void print_shares(const TimeShares& shares) {
  if (shares.total_us <= 0) return;
  fmt::print("of the time in collectives {} went to colltree's methods, {} to the MPI library:\n",
             percent(shares.decided), percent(1 - shares.decided));
  std::vector<std::pair<std::string, double>> parts(shares.by_why.begin(), shares.by_why.end());
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<std::string, double>::second);
  for (const auto& [why, share] : parts)
    fmt::print("  {:>9}  {} ({})\n", percent(share), why_text(why), printable(why));
}

// Adds up all communicators, by function and reason.
std::vector<PassedCalls> passed_functions(const CallRecord& record) {
  std::map<std::pair<std::string, std::string>, PassedCalls> functions;
  for (const PassedCalls& row : record.passed) {
    PassedCalls& sum = functions[{row.function, row.why}];
    sum.function = row.function;
    sum.why = row.why;
    sum.calls += row.calls;
    sum.rank_calls += row.rank_calls;
    if (row.total_us) sum.total_us = sum.total_us.value_or(0) + *row.total_us;
    sum.completing_us += row.completing_us;
  }
  std::vector<PassedCalls> passed;
  for (auto& [key, sum] : functions) passed.push_back(std::move(sum));
  return passed;
}

void print_passed(const CallRecord& record) {
  const std::vector<PassedCalls> functions = passed_functions(record);
  if (functions.empty()) return;
  fmt::print("passed on to the MPI library:\n");
  for (const PassedCalls& passed : functions) {
    fmt::print("  {:<22} {} calls", passed.function, passed.calls);
    if (passed.total_us && passed.rank_calls != 0)
      fmt::print(" of {:.1f} us", *passed.total_us / static_cast<double>(passed.rank_calls));
    if (passed.completing_us > 0)
      fmt::print(", {} of it in MPI_Wait, MPI_Test and the like",
                 percent(passed.completing_us / *passed.total_us));
    fmt::print(": {}{}\n", why_text(passed.why), passed.total_us ? "" : ", not timed");
  }
}

void print_rows(const RecordedCost& cost, bool profiled) {
  for (std::size_t i = 0; i < cost.rows.size() && i < kMostRows; ++i) {
    const RecordedRowCost& row = cost.rows[i];
    const RecordedCalls& calls = row.calls;
    const Instance& instance = calls.instance;
    fmt::print(
        "    {:>5} ranks on {} x {}, {:>6}: {:>9} calls {:>9}  {:>9.1f} us ({:.1f} to {:.1f})  {} "
        "({})",
        instance.communicator_size, instance.nodes, instance.ranks_per_node,
        format_bytes(instance.message_size), calls.calls, percent(row.share),
        calls.total_us / static_cast<double>(calls.rank_calls), calls.min_us, calls.max_us,
        calls.method.label(), calls.why);
    if (row.in_profile && row.saved_share > 0)
      fmt::print("; {} would save {}{}", row.best.label(), percent(row.saved_share),
                 row.predicted ? " (predicted)" : "");
    if (profiled && !row.in_profile && instance.communicator_size > 1)
      fmt::print("; not in the profile");
    fmt::print("\n");
  }
  if (cost.rows.size() > kMostRows) fmt::print("    and {} more\n", cost.rows.size() - kMostRows);
}

void print_text(const ShowRecord& options, const CallRecord& record,
                const std::vector<RecordedCost>& costs) {
  const bool profiled = !options.profile.empty();
  const TimeShares shares = time_shares(record);
  const std::vector<SiteCost> sites = site_costs(record, costs);
  fmt::print("{}{}: {} ranks, {:.3f} s after MPI_Init\n{}", waiting_line(record, sites, profiled),
             options.record, record.ranks, record.seconds, state_text(record));
  if (!record.model.empty())
    fmt::print("model: {}{}\n", printable(record.model),
               record.model_algorithms.empty() ? "; whose algorithms is not known" : "");
  if (record.calls_lost != 0) fmt::print("{} calls found no room in it\n", record.calls_lost);
  fmt::print("{}", sites_text(sites, profiled));
  print_shares(shares);
  for (const RecordedCost& cost : costs) {
    fmt::print("{:<22} {:>9} of the run, {} calls, {} by colltree's methods", name(cost.collective),
               percent(cost.share), cost.calls, percent(cost.decided_share));
    if (profiled) fmt::print(", {} could be saved", percent(cost.saved_share));
    fmt::print("\n");
    print_rows(cost, profiled);
  }
  print_passed(record);
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
               {"share", row.share},
               {"waiting_share", row.waiting_share},
               {"where", calls.site.where}};
  if (row.in_profile) {
    json["best"] = row.best.label();
    json["saved_share"] = row.saved_share;
    if (row.predicted) json["predicted"] = true;
  }
  return json;
}

void print_json(const CallRecord& record, const std::vector<RecordedCost>& costs) {
  Json collectives = Json::array();
  for (const RecordedCost& cost : costs) {
    collectives.push_back({{"collective", name(cost.collective)},
                           {"calls", cost.calls},
                           {"bytes", cost.bytes},
                           {"rank_calls", cost.rank_calls},
                           {"total_us", cost.total_us},
                           {"share", cost.share},
                           {"decided_share", cost.decided_share},
                           {"profiled_share", cost.profiled_share},
                           {"saved_share", cost.saved_share},
                           {"rows", json_list(cost.rows, json_of)}});
  }
  Json passed = Json::array();
  for (const PassedCalls& function : passed_functions(record)) {
    Json row = {{"function", function.function},
                {"why", function.why},
                {"calls", function.calls},
                {"rank_calls", function.rank_calls}};
    if (function.total_us) row["total_us"] = *function.total_us;
    row["completing_us"] = function.completing_us;
    passed.push_back(std::move(row));
  }
  const TimeShares shares = time_shares(record);
  Json json = {{"state", record.state},
               {"ranks", record.ranks},
               {"ranks_covered", record.ranks_covered},
               {"seconds", record.seconds},
               {"calls_lost", record.calls_lost},
               {"model", record.model},
               {"model_provenance", record.model_provenance},
               {"model_algorithms", record.model_algorithms},
               {"model_mpi", record.model_mpi},
               {"share", share_of_run(record, shares.total_us)},
               {"decided_share_of_time", shares.decided},
               {"time_by_why", shares.by_why},
               {"collectives", collectives},
               {"passed", passed}};
  add_waiting(record, site_costs(record, costs), json);
  print_results("colltree/record/1", json);
}

}  // namespace

bool is_record_file(const std::string& path) { return is_call_record(first_bytes(path, 32)); }

void show_record(const ShowRecord& options) {
  const CallRecord record = load_call_record(options.record);
  std::vector<Timings> timings;
  const ProfileOptions input{.profile = options.profile, .system = options.system};
  if (!options.profile.empty()) timings = load_system_timings(input).timings;
  const std::vector<RecordedCost> costs = recorded_cost(record, timings);
  options.json ? print_json(record, costs) : print_text(options, record, costs);
}

}  // namespace colltree::cli
