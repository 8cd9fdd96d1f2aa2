// SPDX-License-Identifier: BSD-3-Clause
#include "colltree/rules.hpp"

#include "base/error.h"
#include "emit/emitter.h"
#include "face/values.h"
#include "rules/check_rules.h"

namespace colltree::core {

std::vector<std::string> rule_targets() {
  std::vector<std::string> names;
  for (const emit::Emitter& emitter : emit::emitters()) names.emplace_back(emitter.target);
  return names;
}

Written write_rules(const Model& model, const std::string& target,
                    const std::vector<Timings>& timings) {
  std::vector<colltree::Timings> tables;
  for (const Timings& table : timings) tables.push_back(table_of(table));
  Written written;
  emit::EmitOptions options;
  if (!tables.empty()) options.timings = &tables;
  options.notes = &written.notes;
  written.content = emit::find_emitter(target).emit(content_of(model), options);
  return written;
}

Method decide_by_rules(const std::string& content, const Instance& instance,
                       const std::string& target) {
  const rules::RuleTarget& format = rules::find_or_detect_target(target, content, "the rules");
  const rules::RuleFile file = format.read(content);
  if (const rules::Defect* error = file.first_error())
    throw ParseError("the rules", error->line, error->text);
  return outer(rules::decide(format, file.rules, inner(instance)));
}

}  // namespace colltree::core
