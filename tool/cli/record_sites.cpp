// SPDX-License-Identifier: BSD-3-Clause
#include "cli/record_sites.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/process.h"
#include "base/table.h"
#include "base/text.h"

namespace colltree::cli {

namespace {

constexpr std::size_t kMostSites = 10;
constexpr double kAddr2line_s = 60;

double sum_of(const std::vector<SiteCost>& sites, double SiteCost::*member) {
  double sum = 0;
  for (const SiteCost& site : sites) sum += site.*member;
  return sum;
}

// "27 %", "4.2 %", "0.03 %": two digits.
std::string rounded(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.{}f} %", percent,
                     percent >= 9.95 || percent == 0 ? 0
                     : percent >= 0.995              ? 1
                                                     : 2);
}

// The part of the waiting in samples for the rank for which others waited most.
std::string late_text(const CallRecord& record) {
  double waiting_us = 0;
  for (const RecordedCalls& row : record.rows) waiting_us += row.waiting_us;
  if (record.late.empty() || waiting_us <= 0) return "";
  return fmt::format("; rank {} is last in {} of it", record.late.front().rank,
                     rounded(std::min(1.0, record.late.front().waiting_us / waiting_us)));
}

std::string file_name(std::string_view path) { return printable(path.substr(path.rfind('/') + 1)); }

// "FILE+0xOFFSET"; the offset is "" where the site is no address.
std::pair<std::string, std::string> address_of(const CallSite& site) {
  const std::size_t plus = site.where.rfind("+0x");
  if (plus == std::string::npos ||
      site.where.find_first_not_of("0123456789abcdef", plus + 3) != std::string::npos)
    return {};
  return {site.where.substr(0, plus), site.where.substr(plus + 1)};
}

// The lines of addr2line for these offsets, two each: the function and FILE:LINE, or "??".
std::vector<std::string> look_up(const std::string& file, const std::vector<std::string>& offsets) {
  std::vector<std::string> command = {"addr2line", "-f", "-C", "-e", file};
  command.insert(command.end(), offsets.begin(), offsets.end());
  std::vector<std::string> lines;
  bool has_symbols = false;
  try {
    const CommandResult result = run_command(command, kAddr2line_s);
    for (const std::string_view line : split(result.output, '\n')) lines.emplace_back(line);
    const bool is_unsure =
        std::ranges::any_of(lines, [](const std::string& line) { return line.starts_with("??"); });
    has_symbols = !is_unsure ||
                  run_command({"readelf", "-WS", file}, kAddr2line_s).output.find(" .symtab ") !=
                      std::string::npos;
  } catch (const Error&) {
    lines.clear();  // it is not installed
  }
  lines.resize(2 * offsets.size(), "??");
  // A stripped program names its exported functions only, and the nearest of them is the wrong one.
  for (std::size_t i = 0; !has_symbols && i < lines.size(); i += 2) {
    if (lines[i + 1].starts_with("??")) lines[i] = "??";
  }
  return lines;
}

// "solve at cg.c:88", "solve" or "" by two lines of addr2line.
std::string place_of(const std::string& function, const std::string& line) {
  if (function.starts_with("??")) return "";
  const std::string place = line.substr(0, line.find(" (discriminator"));
  return line.starts_with("??") || line.ends_with(":?")
             ? printable(function)
             : fmt::format("{} at {}", printable(function), file_name(place));
}

std::string as_recorded(const CallSite& site) {
  if (site.where.empty()) return "not known";
  const std::string where = file_name(site.where);
  return site.symbol.empty() ? where : fmt::format("{} at {}", printable(site.symbol), where);
}

}  // namespace

std::string waiting_line(const CallRecord& record, const std::vector<SiteCost>& sites,
                         bool profiled) {
  const double share = sum_of(sites, &SiteCost::share);
  const double sampled = sum_of(sites, &SiteCost::sampled_share);
  const double waiting = sum_of(sites, &SiteCost::waiting_share);
  const std::string begin = fmt::format("{} of the run is in collectives", rounded(share));
  const bool has_samples = std::ranges::any_of(
      record.rows, [](const RecordedCalls& row) { return row.sampled_calls != 0; });
  if (!has_samples) return begin + "; how much of it is waiting was not sampled\n";
  std::string line =
      fmt::format("{}: {} waiting for late ranks (no method helps{}), {} working", begin,
                  rounded(waiting), late_text(record), rounded(std::max(0.0, sampled - waiting)));
  if (profiled)
    line += fmt::format(", of which at most {} can be saved",
                        rounded(sum_of(sites, &SiteCost::saved_share)));
  if (share - sampled > 0.0005) line += fmt::format("; {} not sampled", rounded(share - sampled));
  return line + "\n";
}

std::vector<std::string> places_of(const std::vector<SiteCost>& sites) {
  std::map<std::string, std::vector<std::string>> offsets;
  for (const SiteCost& cost : sites) {
    const auto [file, offset] = address_of(cost.site);
    if (!offset.empty()) offsets[file].push_back(offset);
  }
  std::map<std::string, std::string> known;
  for (const auto& [file, wanted] : offsets) {
    const std::vector<std::string> lines = look_up(file, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      known[file + "+" + wanted[i]] = place_of(lines[2 * i], lines[2 * i + 1]);
  }
  std::vector<std::string> places;
  for (const SiteCost& cost : sites) {
    const std::string& found = known[cost.site.where];
    places.push_back(found.empty() ? as_recorded(cost.site) : found);
  }
  return places;
}

std::string sites_text(const std::vector<SiteCost>& sites, bool profiled) {
  const std::vector<std::string> places = places_of(sites);
  std::vector<Column> columns = {{"", "call site", "{:<32}"},   {"", "function", " {:<20}"},
                                 {"", "size from", " {:>9}"},   {"", "calls", " {:>10}"},
                                 {"", "of the run", " {:>10}"}, {"", "waiting", " {:>10}"}};
  if (profiled) columns.push_back({"", "can be saved", " {:>12}"});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < sites.size() && i < kMostSites; ++i) {
    const SiteCost& site = sites[i];
    std::vector<Cell> cells = {places[i],
                               site.function,
                               site.size_class ? Cell(format_bytes(*site.size_class)) : Cell(),
                               site.calls,
                               rounded(site.share),
                               site.sampled_share > 0 ? rounded(site.waiting_share) : "-"};
    if (profiled) cells.emplace_back(rounded(site.saved_share));
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (sites.size() > kMostSites) text += fmt::format("and {} more\n", sites.size() - kMostSites);
  return text;
}

void add_waiting(const CallRecord& record, const std::vector<SiteCost>& sites, Json& json) {
  json["sampled_share"] = sum_of(sites, &SiteCost::sampled_share);
  json["waiting_share"] = sum_of(sites, &SiteCost::waiting_share);
  Json late = Json::array();
  for (const LateRank& rank : record.late)
    late.push_back({{"rank", rank.rank}, {"waiting_us", rank.waiting_us}});
  json["late"] = late;
  const std::vector<std::string> places = places_of(sites);
  Json rows = Json::array();
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const SiteCost& site = sites[i];
    Json row = {{"place", places[i]},
                {"where", site.site.where},
                {"symbol", site.site.symbol},
                {"function", site.function},
                {"calls", site.calls},
                {"share", site.share},
                {"sampled_share", site.sampled_share},
                {"waiting_share", site.waiting_share},
                {"saved_share", site.saved_share}};
    if (site.size_class) row["size_class"] = *site.size_class;
    rows.push_back(std::move(row));
  }
  json["sites"] = rows;
}

}  // namespace colltree::cli
