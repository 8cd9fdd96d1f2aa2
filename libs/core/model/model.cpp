// SPDX-License-Identifier: BSD-3-Clause
#include "model/model.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "model/kind.h"
#include "timings/penalty_json.h"

namespace colltree::model {

namespace {

constexpr const char* kFormat = "colltree-model";
constexpr std::uint64_t kMostMethods = 0xFFFF;  // indices are 16 bits wide everywhere

Json origin_to_json(const ModelOrigin& origin) {
  Json collectives = Json::array();
  for (const Collective collective : origin.collectives) collectives.push_back(name(collective));
  Json json = {{"system", origin.system},
               {"provenance", origin.provenance},
               {"collectives", collectives},
               {"instances", origin.instances},
               {"timings", origin.timings}};
  if (!origin.one_orders.empty()) json["one_orders"] = to_json(origin.one_orders);
  if (!origin.algorithms.empty()) json["algorithms"] = origin.algorithms;
  if (!origin.mpi.empty()) json["mpi"] = origin.mpi;
  return json;
}

ModelOrigin origin_from_json(const Json& object) {
  ModelOrigin origin{.system = json_string(object, "system"),
                     .provenance = json_string(object, "provenance"),
                     .instances = json_unsigned(object, "instances"),
                     .timings = json_string_or(object, "timings", ""),
                     .algorithms = json_string_or(object, "algorithms", ""),
                     .mpi = json_string_or(object, "mpi", "")};
  json_each(object, "collectives", [&](const Json& collective) {
    if (!collective.is_string()) throw Error("expected the name of a collective");
    origin.collectives.push_back(parse_collective(collective.text()));
  });
  if (object.contains("one_orders")) {
    json_each(object, "one_orders",
              [&](const Json& order) { origin.one_orders.push_back(one_order_from_json(order)); });
  }
  return origin;
}

Json methods_to_json(const std::vector<Method>& methods) {
  Json list = Json::array();
  for (const Method& method : methods) {
    Json entry = {{"algorithm", method.name()}};
    if (method.segment_size) entry["segment_size"] = *method.segment_size;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<Method> methods_from_json(const Json& envelope) {
  if (json_array(envelope, "methods").size() > kMostMethods)
    throw Error(fmt::format("more than {} methods", kMostMethods));
  std::vector<Method> methods;
  json_each(envelope, "methods", [&](const Json& entry) {
    Method method = parse_method_name(json_string(entry, "algorithm"));
    if (entry.contains("segment_size")) method.segment_size = json_unsigned(entry, "segment_size");
    methods.push_back(std::move(method));
  });
  return methods;
}

void check_version(const Json& envelope) {
  const Json* format = envelope.find("format");
  if (format == nullptr || *format != kFormat) {
    throw Error("not a model: 'format' is not \"colltree-model\"; colltree fit writes models");
  }
  const std::uint64_t version = json_unsigned(envelope, "version");
  if (version > kModelFormat) {
    throw Error(
        fmt::format("model format version {} is newer than {}, the newest that colltree {} "
                    "reads; update colltree",
                    version, kModelFormat, COLLTREE_VERSION));
  }
  if (version < kModelFormat) {
    throw Error(fmt::format(
        "model format version {} is older than any that was released; fit the model again",
        version));
  }
}

const Kind& require_kind(std::string_view name) {
  if (const Kind* kind = find_kind(name)) return *kind;
  throw Error(fmt::format("unknown kind of model '{}'; known are {}", name,
                          join(mapped(kinds(), &Kind::name), ", ")));
}

Json parse_json(const std::string& file, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const JsonError& error) {
    if (error.ends_early) {
      throw ParseError(file, error.line,
                       "the JSON ends in the middle: the file is cut off or empty");
    }
    throw ParseError(file, error.line,
                     fmt::format("{} (byte {} of the line); a model is what colltree fit writes",
                                 error.what(), error.column));
  }
}

// Nodes are [attribute, threshold, low, high] or [method].
Json node_to_json(const RuleNode& node) {
  if (node.is_leaf()) return Json::array({node.method});
  return Json::array({name(node.attribute), node.threshold, node.low, node.high});
}

RuleNode node_from_json(const Json& value) {
  const bool leaf = value.is_array() && value.size() == 1;
  if (leaf) {
    return {.method = static_cast<std::uint16_t>(json_unsigned_value(value[0], "nodes", 0xFFFF))};
  }
  if (!value.is_array() || value.size() != 4 || !value[0].is_string()) {
    throw Error("'nodes' must hold [attribute, threshold, low, high] or [method], not " +
                value.dump());
  }
  constexpr std::uint64_t kMost = RuleNode::kLeaf - 1;
  return {.attribute = parse_attribute(value[0].text()),
          .threshold = json_unsigned_value(value[1], "threshold"),
          .low = static_cast<std::uint32_t>(json_unsigned_value(value[2], "low", kMost)),
          .high = static_cast<std::uint32_t>(json_unsigned_value(value[3], "high", kMost))};
}

Json body_to_json(const RuleTree& tree) {
  Json roots = Json::array();
  for (const RuleTree::Root& root : tree.roots) {
    roots.push_back({{"collective", name(root.collective)}, {"node", root.node}});
  }
  Json nodes = Json::array();
  for (const RuleNode& node : tree.nodes) nodes.push_back(node_to_json(node));
  return {{"roots", roots}, {"nodes", nodes}};
}

RuleTree rules_from_json(const Json& body, std::vector<Method> methods) {
  RuleTree tree{.methods = std::move(methods)};
  json_each(body, "roots", [&](const Json& root) {
    tree.roots.push_back(
        {parse_collective(json_string(root, "collective")),
         static_cast<std::uint32_t>(json_unsigned(root, "node", RuleNode::kLeaf - 1))});
  });
  json_each(body, "nodes", [&](const Json& node) { tree.nodes.push_back(node_from_json(node)); });
  validate(tree);
  return tree;
}

// A list of lines, because a string in the file must stay on one line.
Json text_to_json(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string text_from_json(const Json& envelope) {
  std::string text;
  if (!envelope.contains("text")) return text;
  json_each(envelope, "text", [&](const Json& line) {
    if (!line.is_string()) throw Error("expected a line of text");
    std::string words = line.text();
    std::ranges::replace(words, '\t', ' ');
    if (const std::string why = unfit_for_line(words); !why.empty()) {
      throw Error(fmt::format("a line of text holds {}; write plain text", why));
    }
    text += line.text() + "\n";
  });
  return text;
}

void read_decisions(const Json& envelope, Model& model) {
  model.rules = rules_from_json(json_object(envelope, "body"), methods_from_json(envelope));
  model.text = text_from_json(envelope);
  for (const Collective collective : model.origin.collectives) root_of(model.rules, collective);
}

}  // namespace

ModelOrigin origin_of(const std::vector<Timings>& timings) {
  ModelOrigin origin{.system = timings.at(0).system, .provenance = timings[0].provenance};
  for (const Timings& table : timings) {
    origin.collectives.push_back(table.collective);
    origin.instances += table.instances.size();
    if (table.one_order) origin.one_orders.push_back(*table.one_order);
  }
  origin.timings = hash_of(timings);
  origin.algorithms = timings[0].algorithms;
  origin.mpi = timings[0].mpi;
  return origin;
}

const Method& Model::decide(const Instance& instance) const {
  return colltree::model::decide(rules, instance);
}

bool nothing_to_choose(const Model& model) {
  return !model.statistics.like_default.empty() &&
         std::ranges::all_of(model.rules.methods, is_library_default);
}

std::string like_default_text(const Model& model) {
  const std::vector<std::string>& like = model.statistics.like_default;
  if (like.empty()) return "";
  if (nothing_to_choose(model))
    return fmt::format(
        "nothing to choose: nothing tells the other {} from the library's own choice",
        like.size() == 1 ? "method" : fmt::format("{} methods", like.size()));
  return fmt::format("left out, because nothing tells them from the library's own choice: {}",
                     join(like, ", "));
}

PenaltyPoints penalty_points(const Timings& timings, const Model& model) {
  return penalty_points(timings, [&](const Instance& instance) { return model.decide(instance); });
}

Json to_json(const Model& model) {
  Json parameters = to_json(model.parameters);
  if (model.weighted) parameters["weighted"] = true;
  Json envelope = {{"format", kFormat},
                   {"version", kModelFormat},
                   {"kind", model.kind},
                   {"origin", origin_to_json(model.origin)},
                   {"methods", methods_to_json(model.rules.methods)},
                   {"parameters", parameters},
                   {"statistics", to_json(model.statistics)},
                   {"body", body_to_json(model.rules)}};
  if (!model.text.empty()) envelope["text"] = text_to_json(model.text);
  return envelope;
}

Model model_from_json(const Json& envelope) {
  check_version(envelope);
  const Kind& kind = require_kind(json_string(envelope, "kind"));
  const Json& parameters = json_object(envelope, "parameters");
  Model model{.kind = kind.name,
              .origin = origin_from_json(json_object(envelope, "origin")),
              .parameters = read_parameters(kind.parameters, parameters),
              .weighted = json_flag_or(parameters, "weighted", false)};
  read_decisions(envelope, model);
  model.statistics = statistics_from_json(json_object(envelope, "statistics"), model.rules);
  return model;
}

void save_model(const Model& model, const std::filesystem::path& path) {
  write_file(path, to_json(model).dump(1) + "\n");
}

Model load_model(const std::filesystem::path& path) {
  const Json envelope = parse_json(path.string(), read_file(path, kMostModelBytes));
  try {
    return model_from_json(envelope);
  } catch (const JsonValueError&) {
    throw Error(fmt::format(
        "{}: damaged model: a field has another type than docs/reference/formats/model.md says",
        path.string()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Model rules_model(ModelOrigin origin, RuleTree tree) {
  validate(tree);
  Model model{.kind = "rules", .origin = std::move(origin), .rules = std::move(tree)};
  model.statistics.shape = total_shape(model.rules);
  for (const RuleTree::Root& root : model.rules.roots) {
    model.statistics.shapes.emplace_back(root.collective, shape(model.rules, root.node));
  }
  return model;
}

RuleTree one_leaf(Collective collective, const Method& method) {
  RuleTree tree;
  append_leaf(tree, index_of_method(tree.methods, method));
  tree.roots = {{collective, 0}};
  return tree;
}

}  // namespace colltree::model
