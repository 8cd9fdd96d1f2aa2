// SPDX-License-Identifier: BSD-3-Clause
// `colltree check`: what is wrong with a rules file, before a job runs with it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "emit/rules/rule_target.h"

namespace colltree {

namespace {

struct Options {
  std::string file;
  std::string target;
  bool json = false;
};

nlohmann::json defects_json(const std::vector<Defect>& defects) {
  nlohmann::json list = nlohmann::json::array();
  for (const Defect& one : defects) {
    list.push_back({{"line", one.line}, {"severity", name(one.severity)}, {"text", one.text}});
  }
  return list;
}

std::size_t count(const std::vector<Defect>& defects, Severity severity) {
  std::size_t found = 0;
  for (const Defect& one : defects) found += one.severity == severity ? 1 : 0;
  return found;
}

std::string summary_of(const RuleFile& file) {
  std::string text;
  for (const CollectiveRules& one : file.rules.collectives) {
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", name(one.collective), one.rules.size());
  }
  return text.empty() ? "no rules" : "rules: " + text;
}

void check(const Options& options) {
  const RuleTarget& target = find_rule_target(options.target);
  const RuleFile file = check_rules(target, read_file(options.file));
  const std::size_t errors = count(file.defects, Severity::kError);
  const std::size_t unsafe = count(file.defects, Severity::kUnsafe);
  if (options.json) {
    const nlohmann::json json = {{"file", options.file},
                                 {"for", target.name},
                                 {"errors", errors},
                                 {"unsafe", unsafe},
                                 {"defects", defects_json(file.defects)}};
    fmt::print("{}\n", json.dump(2));
  } else {
    for (const Defect& one : file.defects) {
      fmt::print("{}:{}: {}: {}\n", options.file, one.line, name(one.severity), one.text);
    }
    fmt::print("{} for {}: {}; {} errors, {} unsafe, {} warnings\n", options.file, target.name,
               summary_of(file), errors, unsafe, count(file.defects, Severity::kWarning));
  }
  if (errors + unsafe > 0) {
    throw Error(fmt::format("{}: not fit for {}: {} errors, {} unsafe rules", options.file,
                            target.name, errors, unsafe));
  }
}

}  // namespace

void declare_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::string names;
  for (const RuleTarget& one : rule_targets()) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : "; ", one.name, one.summary);
  }
  app.add_option("file", options->file, "the rules file")->required();
  app.add_option("--for", options->target, "what reads it: " + names)->required();
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { check(*options); });
}

}  // namespace colltree
