// SPDX-License-Identifier: BSD-3-Clause
// Formats without an axis or two: oneCCL (no communicator size), SMPI (one name a collective), and
// the generic tables CSV and JSON for whoever wants to read rules with a program of their own.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/value_list.h"

namespace colltree {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string end_text(std::uint64_t value, const char* word) {
  return value == UINT64_MAX ? word : std::to_string(value);
}

std::optional<std::uint64_t> end_of(std::string_view text, std::string_view word) {
  if (text == word) return UINT64_MAX;
  return parse_number<std::uint64_t>(text);
}

RuleFile with_error(std::size_t line, std::string text) {
  RuleFile file;
  file.defects.push_back({line, Severity::kError, std::move(text)});
  return file;
}

void keep(RuleFile& file, Collective collective, const Rule& rule) {
  if (file.rules.find(collective) == nullptr) {
    file.rules.collectives.push_back({.collective = collective});
  }
  for (CollectiveRules& one : file.rules.collectives) {
    if (one.collective == collective) one.rules.push_back(rule);
  }
}

}  // namespace

// Of the rules those of the largest communicators: adapt_rules leaves one row.
std::string write_oneccl(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    std::string value;
    for (const Rule& rule : one.rules) {
      if (is_library_default(rule.method)) continue;
      value += fmt::format("{}{}:{}-{}", value.empty() ? "" : ";", rule.method.algorithm,
                           rule.message.least, end_text(rule.message.most, "max"));
    }
    if (!value.empty())
      text += fmt::format("export CCL_{}=\"{}\"\n", upper(name(one.collective)), value);
  }
  return text;
}

RuleFile read_oneccl(const RuleTarget& target, std::string_view content) {
  RuleFile file;
  for (const Assignment& one : read_assignments(content)) {
    const auto error = [&](std::string text) {
      file.defects.push_back({one.line, Severity::kError, std::move(text)});
    };
    const auto collective = one.variable.starts_with("CCL_")
                                ? find_collective(lower(one.variable.substr(4)))
                                : std::nullopt;
    if (!one.problem.empty() || !collective || !target.size_key(*collective)) {
      error(one.problem.empty() ? fmt::format("'{}' is no CCL_<COLLECTIVE>", one.variable)
                                : one.problem);
      continue;
    }
    const std::vector<std::string> names = target_names("oneccl", *collective);
    for (const std::string_view part : split(one.value, ';')) {
      const std::vector<std::string_view> pieces = split(part, ':');
      const std::string algorithm(pieces[0]);
      Rule rule{.method = {algorithm, 0}, .line = one.line};
      if (std::ranges::count(names, algorithm) == 0) {
        error(fmt::format("{} has no algorithm '{}'{}", name(*collective), algorithm,
                          did_you_mean(algorithm, names)));
        continue;
      }
      if (pieces.size() > 1) {
        const std::size_t dash = pieces[1].find('-');
        const auto least = parse_number<std::uint64_t>(pieces[1].substr(0, dash));
        const auto most = dash == std::string_view::npos
                              ? std::nullopt
                              : end_of(pieces[1].substr(dash + 1), "max");
        if (!least || !most || *most < *least) {
          error(fmt::format("'{}' is no range of bytes; write 0-8192 or 8193-max", pieces[1]));
          continue;
        }
        rule.message = {*least, *most};
      }
      keep(file, *collective, rule);
    }
  }
  return file;
}

std::string write_smpi(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n# smpirun $(grep -v '^#' FILE) ...\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    if (one.rules.empty() || is_library_default(one.rules[0].method)) continue;
    text += fmt::format("--cfg=smpi/{}:{}\n", name(one.collective), one.rules[0].method.algorithm);
  }
  return text;
}

RuleFile read_smpi(const RuleTarget& target, std::string_view content) {
  RuleFile file;
  std::size_t line = 0;
  for (const std::string_view whole : split(content, '\n')) {
    ++line;
    const std::string_view text = trim(whole);
    if (text.empty() || text[0] == '#') continue;
    constexpr std::string_view kStart = "--cfg=smpi/";
    const std::size_t colon = text.rfind(':');
    const auto collective = text.starts_with(kStart) && colon != std::string_view::npos
                                ? find_collective(text.substr(kStart.size(), colon - kStart.size()))
                                : std::nullopt;
    if (!collective || !target.size_key(*collective)) {
      file.defects.push_back(
          {line, Severity::kError,
           fmt::format("expected --cfg=smpi/<collective>:NAME, got '{}'", text)});
      continue;
    }
    const std::string algorithm(text.substr(colon + 1));
    const std::vector<std::string> names = target_names("smpi", *collective);
    if (std::ranges::count(names, algorithm) == 0) {
      file.defects.push_back(
          {line, Severity::kError,
           fmt::format("{} has no algorithm '{}' that is known here{}", name(*collective),
                       algorithm, did_you_mean(algorithm, names))});
      continue;
    }
    keep(file, *collective, {.method = {algorithm, 0}, .line = line});
  }
  return file;
}

constexpr const char* kCsvHeader =
    "collective,communicator_size_min,communicator_size_max,message_size_min,message_size_max,"
    "ranks_per_node_min,ranks_per_node_max,algorithm,segment_size";

std::string write_rules_csv(const RuleTarget&, const RuleSet& rules, const std::string&) {
  std::string text = fmt::format("{}\n", kCsvHeader);
  for (const CollectiveRules& one : rules.collectives) {
    for (const Rule& rule : one.rules) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{}\n", name(one.collective), rule.communicator_size.least,
          end_text(rule.communicator_size.most, "inf"), rule.message.least,
          end_text(rule.message.most, "inf"), rule.ranks_per_node.least,
          end_text(rule.ranks_per_node.most, "inf"), rule.method.algorithm,
          rule.method.segment_size ? std::to_string(*rule.method.segment_size) : "");
    }
  }
  return text;
}

RuleFile read_rules_csv(const RuleTarget&, std::string_view content) {
  RuleFile file;
  std::size_t line = 0;
  for (const std::string_view whole : split(content, '\n')) {
    const std::string_view text = trim(whole);
    if (++line == 1) {
      if (text != kCsvHeader)
        return with_error(1, fmt::format("expected the header {}", kCsvHeader));
      continue;
    }
    if (text.empty()) continue;
    const auto error = [&](std::string why) {
      file.defects.push_back({line, Severity::kError, std::move(why)});
    };
    const std::vector<std::string_view> fields = split(text, ',');
    if (fields.size() != 9) {
      error(fmt::format("{} fields, not 9", fields.size()));
      continue;
    }
    const auto collective = find_collective(fields[0]);
    if (!collective) {
      error(fmt::format("unknown collective '{}'", fields[0]));
      continue;
    }
    Rule rule{.line = line};
    Span* const spans[] = {&rule.communicator_size, &rule.message, &rule.ranks_per_node};
    bool good = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto least = parse_number<std::uint64_t>(fields[1 + 2 * i]);
      const auto most = end_of(fields[2 + 2 * i], "inf");
      good = good && least && most && *least <= *most;
      if (good) *spans[i] = {*least, *most};
    }
    const auto segment = parse_number<std::uint64_t>(fields[8]);
    if (!good || (!segment && !fields[8].empty())) {
      error("a range that is no range, or a segment size that is no number");
      continue;
    }
    rule.method = {std::string(fields[7]), segment};
    keep(file, *collective, rule);
  }
  return file;
}

std::string write_rules_json(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  nlohmann::ordered_json json = {
      {"format", "colltree rules"}, {"version", 1}, {"comment", comment}};
  const auto span = [](const Span& one) {
    nlohmann::ordered_json ends = {one.least};
    ends.push_back(one.most == UINT64_MAX ? nlohmann::ordered_json()
                                          : nlohmann::ordered_json(one.most));
    return ends;
  };
  for (const CollectiveRules& one : rules.collectives) {
    auto& list = json["collectives"][std::string(name(one.collective))];
    for (const Rule& rule : one.rules) {
      nlohmann::ordered_json entry = {{"communicator_size", span(rule.communicator_size)},
                                      {"message_size", span(rule.message)},
                                      {"algorithm", rule.method.algorithm}};
      if (rule.ranks_per_node != Span{}) entry["ranks_per_node"] = span(rule.ranks_per_node);
      if (rule.method.segment_size) entry["segment_size"] = *rule.method.segment_size;
      list.push_back(entry);
    }
  }
  return json.dump(1) + "\n";
}

namespace {

Span span_from(const nlohmann::json& ends) {
  Span span{ends.at(0).get<std::uint64_t>(), UINT64_MAX};
  if (!ends.at(1).is_null()) span.most = ends.at(1).get<std::uint64_t>();
  return span;
}

}  // namespace

RuleFile read_rules_json(const RuleTarget&, std::string_view content) {
  RuleFile file;
  try {
    const auto json = nlohmann::json::parse(content);
    if (json.at("format") != "colltree rules" || json.at("version") != 1) {
      return with_error(1, "not a file of rules, version 1");
    }
    for (const auto& [key, list] : json.at("collectives").items()) {
      const auto collective = find_collective(key);
      if (!collective) return with_error(0, fmt::format("unknown collective '{}'", key));
      for (const auto& entry : list) {
        Rule rule{.communicator_size = span_from(entry.at("communicator_size")),
                  .message = span_from(entry.at("message_size"))};
        rule.method.algorithm = entry.at("algorithm").get<std::string>();
        if (entry.contains("segment_size")) {
          rule.method.segment_size = entry["segment_size"].get<std::uint64_t>();
        }
        if (entry.contains("ranks_per_node"))
          rule.ranks_per_node = span_from(entry["ranks_per_node"]);
        keep(file, *collective, rule);
      }
    }
  } catch (const nlohmann::json::exception& wrong) {
    return with_error(0, wrong.what());
  }
  return file;
}

}  // namespace colltree
