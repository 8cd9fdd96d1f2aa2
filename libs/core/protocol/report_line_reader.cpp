// SPDX-License-Identifier: BSD-3-Clause
// The reading half of report_line.h: of the coordinator's side.
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "protocol/report_line.h"

namespace colltree::protocol {

namespace {

std::string text(const Json& json, std::string_view field) { return json[field].text(); }

// 0 where the field is missing.
std::uint64_t number_if_any(const Json& json, std::string_view field) {
  return json.contains(field) ? json_unsigned(json, field) : 0;
}

JobLayout layout(const Json& json) {
  return {json_unsigned(json, "nodes"), json_unsigned(json, "ranks_per_node")};
}

// Zero has no sign.
double unsigned_zero(double value) { return value + 0.0; }

double at_least_zero(double value) {
  if (value < 0) throw Error("below zero");
  return unsigned_zero(value);
}

// Any numbers are taken: the code that stores them checks that they are times.
std::vector<double> samples_us(const Json& json) {
  std::vector<double> samples_us;
  json_each(json, "samples_us",
            [&](const Json& sample) { samples_us.push_back(unsigned_zero(sample.number())); });
  return samples_us;
}

JobReport decode(const Json& json) {
  const std::string event = text(json, "event");
  if (event == "started") {
    return JobStarted{text(json, "mpi_library"), text(json, "host"), json_unsigned(json, "ranks"),
                      layout(json), at_least_zero(json_number(json, "clock_error_us"))};
  }
  if (event == "checkpoint") return Checkpoint{};
  if (event == "plan_done") return PlanDone{};
  if (event == "done") return JobDone{};
  if (event == "at_once") return CellsBegun{};
  const PlanCell cell = parse_cell_line(text(json, "cell"), "report", 1);
  if (event == "begun") return CellBegun{cell};
  if (event == "failed")
    return failed_cell(cell, text(json, "reason"), json_flag_or(json, "cannot_run", false));
  if (event != "measured") throw Error("no event of a job");
  return CellResult{
      cell,
      json_unsigned(json, "count"),
      json_unsigned(json, "type_size"),
      layout(json),
      samples_us(json),
      json_unsigned(json, "discarded"),
      json.contains("foreign_load") ? at_least_zero(json_number(json, "foreign_load")) : 0,
      number_if_any(json, "shared_cores")};
}

// True also for a line without a checksum, because lines of other programs have none.
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
    return NumberedReport{decode(json), number_if_any(json, "line")};
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

}  // namespace colltree::protocol
