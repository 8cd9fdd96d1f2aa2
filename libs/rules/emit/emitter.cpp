// SPDX-License-Identifier: BSD-3-Clause
#include "emit/emitter.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "emit/c_source.h"
#include "emit/cdt.h"
#include "emit/simplify.h"
#include "rules/adapt.h"
#include "rules/check_rules.h"

namespace colltree::emit {

namespace {

// Returns the text as a quoted string of Graphviz.
std::string dot_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

void write_node(const model::RuleTree& tree, std::uint32_t index, std::string& out) {
  const model::RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) {
    out += fmt::format("    n{} [shape=box, label=\"{}\"];\n", index,
                       dot_text(tree.methods[node.method].label()));
    return;
  }
  out +=
      fmt::format("    n{} [label=\"{} <= {}\"];\n", index, name(node.attribute), node.threshold);
  out += fmt::format("    n{0} -> n{1} [label=\"yes\"];\n    n{0} -> n{2} [label=\"no\"];\n", index,
                     node.low, node.high);
  write_node(tree, node.low, out);
  write_node(tree, node.high, out);
}

// Writes Graphviz source with one cluster for each collective.
std::string emit_dot(const model::Model& model, const EmitOptions& options) {
  const model::RuleTree tree = tree_to_emit(model, options);
  std::string out = fmt::format("// {}\ndigraph colltree {{\n  node [fontname=\"sans-serif\"];\n",
                                describe(model));
  for (const model::RuleTree::Root& root : tree.roots) {
    out += fmt::format("  subgraph cluster_{0} {{\n    label=\"{0}\";\n", name(root.collective));
    write_node(tree, root.node, out);
    out += "  }\n";
  }
  return out + "}\n";
}

const Emitter kEmitters[] = {
    {"c", "C99 source, the faster form: tables, or ifs where few or with --plain", emit_c},
    {"c-nested", "C99 source, nested ifs: for readers", emit_c_nested},
    {"c-table", "C99 source, tables: the same time for any number of regions", emit_c_table},
    {"cdt", "compact decision file for libcolltree, tables up to 32 KB, else trees",
     std::bind_front(emit_cdt, CdtForm::kAuto)},
    {"tree", "compact decision file, every collective as a tree",
     std::bind_front(emit_cdt, CdtForm::kTree)},
    {"table", "compact decision file, every collective as a table",
     std::bind_front(emit_cdt, CdtForm::kTable)},
    {"dot", "Graphviz source of the tree", emit_dot},
};

// Puts the rules into the site's file. A file at which the library would abort is refused here;
// unsafe rules of the site stay, with a note.
std::string merged_into(const std::string& file, const rules::RuleTarget& target,
                        const rules::RuleSet& rules, std::vector<std::string>* notes) {
  const std::string site = read_file(file, kMostModelBytes);
  std::string merged;
  try {
    merged = target.merge(rules, site);
  } catch (const JsonError& wrong) {
    throw Error(
        fmt::format("{}:{}: not fit for {}: {}", file, wrong.line, target.name, wrong.what()));
  }
  for (const rules::Defect& defect : rules::check_rules(target, merged).defects) {
    if (defect.severity == rules::Severity::kError)
      throw Error(fmt::format("{}: not fit for {} with the model's rules in it, line {} then: {}",
                              file, target.name, defect.line, defect.text));
    if (defect.severity == rules::Severity::kUnsafe && notes != nullptr)
      notes->push_back(fmt::format("unsafe, line {} of the result: {}", defect.line, defect.text));
  }
  return merged;
}

// The libraries' own algorithms of the same names add up along trees that are not known.
void require_own_algorithms(const rules::RuleTarget& target, const model::Model& model) {
  if (model.origin.one_orders.empty() || target.neutral) return;
  throw Error(
      fmt::format("{}: the model is reproducible by our algorithms' order of sums, which the "
                  "library's own do not keep; emit cdt, for the runtime library",
                  target.name));
}

std::string emit_rules(const rules::RuleTarget& target, const model::Model& model,
                       const EmitOptions& options) {
  require_own_algorithms(target, model);
  const rules::Adapted adapted = rules::adapt_rules(tree_to_emit(model), target,
                                                    {.allow_unsafe = options.allow_unsafe,
                                                     .replace_default = options.replace_default,
                                                     .ranks_per_node = options.ranks_per_node,
                                                     .timings = options.timings});
  if (options.notes != nullptr) {
    options.notes->insert(options.notes->end(), adapted.notes.begin(), adapted.notes.end());
  }
  if (!options.into.empty()) return merged_into(options.into, target, adapted.keyed, options.notes);
  if (options.companion != nullptr && target.has_companion)
    *options.companion = target.companion(adapted.keyed);
  return target.write(adapted.keyed, describe(model));
}

std::vector<Emitter> all_emitters() {
  std::vector<Emitter> result(std::begin(kEmitters), std::end(kEmitters));
  for (const rules::RuleTarget& target : rules::rule_targets()) {
    result.push_back({target.name, target.summary, [&](const auto& model, const auto& options) {
                        return emit_rules(target, model, options);
                      }});
  }
  return result;
}

}  // namespace

std::span<const Emitter> emitters() {
  static const std::vector<Emitter> kAll = all_emitters();
  return kAll;
}

const Emitter& find_emitter(std::string_view target) {
  std::vector<std::string> names;
  for (const Emitter& emitter : emitters()) {
    if (emitter.target == target) return emitter;
    names.emplace_back(emitter.target);
  }
  throw UsageError(fmt::format("unknown target '{}'{}", target, meant_or_known(target, names)));
}

model::RuleTree tree_to_emit(const model::Model& model, const EmitOptions& options) {
  model::validate(model.rules);
  model::RuleTree tree = simplify(model.rules, !options.plain);
  drop_unused_methods(tree);
  return tree;
}

// The text is always one line, even if the origin of the model has line ends, because it stands
// behind # and //.
std::string describe(const model::Model& model) {
  const auto collectives =
      mapped(model.origin.collectives, [](Collective collective) { return name(collective); });
  const model::ModelOrigin& origin = model.origin;
  const std::string order = origin.one_orders.empty() ? "" : ", reproducible sums";
  return printable(fmt::format("{} of {} on {}, {} instances, {}{}; colltree {}", model.kind,
                               join(collectives, ", "), origin.system, origin.instances,
                               origin.provenance, order, COLLTREE_VERSION));
}

}  // namespace colltree::emit
