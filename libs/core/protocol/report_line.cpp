// SPDX-License-Identifier: BSD-3-Clause
// The writing half: of the measuring programs, which also a kit builds (tool/kit).
#include "protocol/report_line.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace colltree::protocol {

namespace {

// JSON holds UTF-8 alone: other bytes come as \xE9 and the like. Tabs and ends of lines stay.
std::string valid_utf8(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  std::string result;
  while (!text.empty()) {
    const auto length =
        static_cast<std::size_t>(std::ranges::find_if(text, is_control) - text.begin());
    result += printable(text.substr(0, length));
    if (length < text.size()) result += text[length];
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return result;
}

std::string json_line(std::string_view prefix, const Json& json) {
  return std::string(prefix) + json.dump_in_order() + "\n";
}

struct Encoder {
  Json operator()(const JobStarted& job) const {
    return {{"event", "started"},
            {"mpi_library", valid_utf8(job.mpi_library)},
            {"host", valid_utf8(job.host)},
            {"ranks", job.ranks},
            {"nodes", job.layout.nodes},
            {"ranks_per_node", job.layout.ranks_per_node},
            {"clock_error_us", job.clock_error_us}};
  }
  Json operator()(const CellBegun& begun) const {
    return {{"event", "begun"}, {"cell", cell_line(begun.cell)}};
  }
  Json operator()(const CellResult& cell) const {
    if (cell.failure)
      return {{"event", "failed"},
              {"cell", cell_line(cell.cell)},
              {"reason", valid_utf8(*cell.failure)},
              {"cannot_run", cell.cannot_run}};
    return {{"event", "measured"},
            {"cell", cell_line(cell.cell)},
            {"count", cell.count},
            {"type_size", cell.type_size},
            {"nodes", cell.layout.nodes},
            {"ranks_per_node", cell.layout.ranks_per_node},
            {"samples_us", cell.samples_us},
            {"discarded", cell.discarded},
            {"foreign_load", cell.foreign_load},
            {"shared_cores", cell.shared_cores}};
  }
  Json operator()(const Checkpoint&) const { return {{"event", "checkpoint"}}; }
  Json operator()(const PlanDone&) const { return {{"event", "plan_done"}}; }
  Json operator()(const CellsBegun&) const { return {{"event", "at_once"}}; }
  Json operator()(const JobDone&) const { return {{"event", "done"}}; }
};

std::string word_or_dash(const std::string& word) { return word.empty() ? "-" : word; }

}  // namespace

CellResult failed_cell(const PlanCell& cell, std::string reason, bool cannot_run) {
  return {.cell = cell, .failure = std::move(reason), .cannot_run = cannot_run};
}

std::string report_line(const JobReport& report) {
  return json_line(kReportPrefix, std::visit(Encoder{}, report));
}

// FNV-1a: a kit has no library for it.
std::string checksum_of_line(std::string_view text) {
  std::uint32_t sum = 2166136261U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += kDigits[sum >> shift & 0xF];
  return digits;
}

std::string ReportNumbering::line(const JobReport& report) { return number(report_line(report)); }

std::string ReportNumbering::number(std::string_view line) {
  line.remove_suffix(2);  // the brace and the newline
  const std::string text = concat(line, ",\"line\":", ++number_);
  return concat(text, kChecksumMember, checksum_of_line(text), "\"}\n");
}

std::string witness_line(const Witnessed& witnessed) {
  return concat(kWitnessPrefix, witnessed.code, " ",
                witnessed.ids.empty() ? "-" : join(witnessed.ids, ","), " ",
                word_or_dash(witnessed.component), " ", word_or_dash(witnessed.function), " ",
                witnessed.layout.nodes, " ", witnessed.layout.ranks_per_node, " ",
                cell_line(witnessed.cell), "\n");
}

std::string variable_line(const LibraryVariable& variable) {
  return json_line(kVariablePrefix, {{"name", valid_utf8(variable.name)},
                                     {"value", valid_utf8(variable.value)},
                                     {"set_by", valid_utf8(variable.set_by)},
                                     {"trouble", valid_utf8(variable.trouble)}});
}

}  // namespace colltree::protocol
