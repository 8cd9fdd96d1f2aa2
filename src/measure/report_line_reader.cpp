// SPDX-License-Identifier: BSD-3-Clause
// The reading half of report_line.h: of the coordinator's side.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "measure/report_line.h"

namespace colltree::measure {

namespace {

std::string text(const Json& json, std::string_view field) { return json[field].text(); }
std::uint64_t number(const Json& json, std::string_view field) {
  return json[field].get<std::uint64_t>();
}

JobLayout layout(const Json& json) {
  return {number(json, "nodes"), number(json, "ranks_per_node")};
}

// Zero has no sign.
double unsigned_zero(double value) { return value + 0.0; }

double at_least_zero(double value) {
  if (value < 0) throw Error("below zero");
  return unsigned_zero(value);
}

// Any numbers are taken: the code that stores them checks that they are times.
std::vector<double> samples_us(const Json& json) {
  auto samples_us = json["samples_us"].get<std::vector<double>>();
  std::ranges::transform(samples_us, samples_us.begin(), unsigned_zero);
  return samples_us;
}

JobReport decode(const Json& json) {
  const std::string event = text(json, "event");
  if (event == "started") {
    return JobStarted{text(json, "mpi_library"), text(json, "host"), number(json, "ranks"),
                      layout(json), at_least_zero(json["clock_error_us"].get<double>())};
  }
  if (event == "checkpoint") return Checkpoint{};
  if (event == "plan_done") return PlanDone{};
  if (event == "done") return JobDone{};
  if (event == "at_once") return CellsBegun{};
  const PlanCell cell = parse_cell_line(text(json, "cell"), "report", 1);
  if (event == "begun") return CellBegun{cell};
  if (event == "failed") {
    return CellFailed{cell, text(json, "reason"), json.value("cannot_run", false)};
  }
  if (event != "measured") throw Error("no event of a job");
  return CellMeasured{cell,
                      number(json, "count"),
                      number(json, "type_size"),
                      layout(json),
                      samples_us(json),
                      number(json, "discarded"),
                      at_least_zero(json.value("foreign_load", 0.0)),
                      json.value("shared_cores", std::uint64_t{0})};
}

// Also of a line without a checksum: those of other programs have none.
bool is_whole(std::string_view line) {
  const std::size_t offset = line.rfind(kChecksumMember);
  if (offset == std::string_view::npos) return true;
  return line.substr(offset + kChecksumMember.size()) ==
         checksum_of_line(line.substr(0, offset)) + "\"}";
}

std::string without_dash(std::string_view word) {
  return word == "-" ? std::string() : std::string(word);
}

}  // namespace

std::optional<NumberedReport> parse_numbered_line(std::string_view line) {
  if (!line.starts_with(kReportPrefix) || !is_whole(line)) return std::nullopt;
  try {
    const Json json = Json::parse(line.substr(kReportPrefix.size()));
    return NumberedReport{decode(json), json.value("line", std::uint64_t{0})};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<JobReport> parse_report_line(std::string_view line) {
  auto numbered = parse_numbered_line(line);
  if (!numbered) return std::nullopt;
  return std::move(numbered->report);
}

std::optional<Witnessed> parse_witness_line(std::string_view line) {
  if (!line.starts_with(kWitnessPrefix)) return std::nullopt;
  line.remove_prefix(kWitnessPrefix.size());
  const auto words = split(line, ' ');
  if (words.size() != 11) return std::nullopt;
  Witnessed witnessed;
  witnessed.code = parse_number<int>(words[0]).value_or(-1);
  if (words[1] != "-") {
    for (const std::string_view word : split(words[1], ','))
      witnessed.ids.push_back(parse_number<int>(word).value_or(-1));
  }
  witnessed.component = without_dash(words[2]);
  witnessed.function = without_dash(words[3]);
  witnessed.layout.nodes = parse_number<std::uint64_t>(words[4]).value_or(0);
  witnessed.layout.ranks_per_node = parse_number<std::uint64_t>(words[5]).value_or(0);
  try {
    const auto before = static_cast<std::size_t>(words[6].data() - line.data());
    witnessed.cell = parse_cell_line(std::string(line.substr(before)), "witness", 1);
  } catch (const Error&) {
    return std::nullopt;
  }
  return witnessed;
}

std::optional<LibraryVariable> parse_variable_line(std::string_view line) {
  if (!line.starts_with(kVariablePrefix)) return std::nullopt;
  try {
    const Json json = Json::parse(line.substr(kVariablePrefix.size()));
    return LibraryVariable{text(json, "name"), text(json, "value"), text(json, "set_by"),
                           text(json, "trouble")};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace colltree::measure
