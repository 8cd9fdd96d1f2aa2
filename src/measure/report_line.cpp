// SPDX-License-Identifier: BSD-3-Clause
// The writing half: of the measuring programs, which also a kit builds, where there is no JSON
// library (src/kit).
#include "measure/report_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"

namespace colltree {

namespace {

// A JSON object of one line, member by member.
class Object {
 public:
  Object& text(std::string_view key, std::string_view value) { return raw(key, quoted(value)); }
  Object& whole(std::string_view key, std::uint64_t value) {
    return raw(key, std::to_string(value));
  }
  Object& real(std::string_view key, double value) { return raw(key, format_double(value)); }
  Object& truth(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  Object& reals(std::string_view key, const std::vector<double>& values) {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(format_double(value));
    return raw(key, "[" + join(texts, ",") + "]");
  }

  std::string line(std::string_view prefix) const {
    return fmt::format("{}{{{}}}\n", prefix, members_);
  }

 private:
  // Bytes that are not UTF-8, which JSON cannot hold, come as \xE9 and the like.
  static std::string quoted(std::string_view value) {
    std::string result = "\"";
    while (!value.empty()) {
      const auto control = std::ranges::find_if(value, is_control);
      const auto length = static_cast<std::size_t>(control - value.begin());
      for (const char c : printable(value.substr(0, length))) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
      }
      if (length < value.size())
        result += fmt::format("\\u00{:02X}", static_cast<unsigned>(*control));
      value.remove_prefix(std::min(length + 1, value.size()));
    }
    return result + '"';
  }

  static bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

  Object& raw(std::string_view key, std::string_view value) {
    if (!members_.empty()) members_ += ',';
    members_ += fmt::format("\"{}\":{}", key, value);
    return *this;
  }

  std::string members_;
};

Object event(std::string_view name) { return Object().text("event", name); }

Object event(std::string_view name, const PlanCell& cell) {
  return event(name).text("cell", cell_line(cell));
}

struct Encoder {
  Object operator()(const JobStarted& job) const {
    return event("started")
        .text("mpi_library", job.mpi_library)
        .text("host", job.host)
        .whole("ranks", job.ranks)
        .whole("nodes", job.nodes)
        .whole("ranks_per_node", job.ranks_per_node)
        .real("clock_error_us", job.clock_error_us);
  }
  Object operator()(const CellBegun& begun) const { return event("begun", begun.cell); }
  Object operator()(const CellMeasured& cell) const {
    return event("measured", cell.cell)
        .whole("count", cell.count)
        .whole("type_size", cell.type_size)
        .whole("nodes", cell.nodes)
        .whole("ranks_per_node", cell.ranks_per_node)
        .reals("samples_us", cell.samples_us)
        .whole("discarded", cell.discarded)
        .real("foreign_load", cell.foreign_load)
        .whole("shared_cores", cell.shared_cores);
  }
  Object operator()(const CellFailed& failed) const {
    return event("failed", failed.cell)
        .text("reason", failed.reason)
        .truth("cannot_run", failed.cannot_run);
  }
  Object operator()(const Checkpoint&) const { return event("checkpoint"); }
  Object operator()(const PlanDone&) const { return event("plan_done"); }
  Object operator()(const CellsBegun&) const { return event("at_once"); }
  Object operator()(const JobDone&) const { return event("done"); }
};

std::string word_or_dash(const std::string& word) { return word.empty() ? "-" : word; }

}  // namespace

std::string report_line(const Report& report) {
  return std::visit(Encoder{}, report).line(kReportPrefix);
}

Instance Witnessed::instance() const {
  Instance at = cell.instance();
  at.nodes = layout.nodes;
  at.ranks_per_node = layout.ranks_per_node;
  return at;
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

std::string ReportNumbering::line(const Report& report) { return number(report_line(report)); }

std::string ReportNumbering::number(std::string_view line) {
  line.remove_suffix(2);  // the brace and the newline
  const std::string text = fmt::format("{},\"line\":{}", line, ++number_);
  return fmt::format("{}{}{}\"}}\n", text, kChecksumMember, checksum_of_line(text));
}

std::string witness_line(const Witnessed& witnessed) {
  return fmt::format("{}{} {} {} {} {} {} {}\n", kWitnessPrefix, witnessed.code,
                     witnessed.ids.empty() ? "-" : join(witnessed.ids, ","),
                     word_or_dash(witnessed.component), word_or_dash(witnessed.function),
                     witnessed.layout.nodes, witnessed.layout.ranks_per_node,
                     cell_line(witnessed.cell));
}

std::string variable_line(const LibraryVariable& variable) {
  return Object()
      .text("name", variable.name)
      .text("value", variable.value)
      .text("set_by", variable.set_by)
      .line(kVariablePrefix);
}

}  // namespace colltree
