// SPDX-License-Identifier: BSD-3-Clause
// The envelope of M.json (docs/formats/model.md).
#include "model/decision_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "model/json_fields.h"
#include "model/kind.h"

namespace colltree {

namespace {

constexpr const char* kFormat = "colltree-model";
constexpr std::uint64_t kFormatVersion = 1;
constexpr std::uint64_t kMostMethods = 0xFFFF;  // indices are 16 bits wide everywhere

Json origin_to_json(const ModelOrigin& origin) {
  Json collectives = Json::array();
  for (const Collective collective : origin.collectives) collectives.push_back(name(collective));
  return {{"system", origin.system},
          {"provenance", origin.provenance},
          {"collectives", collectives},
          {"instances", origin.instances},
          {"timings", origin.timings}};
}

ModelOrigin origin_from_json(const Json& object) {
  ModelOrigin origin{.system = json_string(object, "system"),
                     .provenance = json_string(object, "provenance"),
                     .instances = json_unsigned(object, "instances"),
                     .timings = json_string_or(object, "timings", "")};
  json_each(object, "collectives", [&](const Json& collective) {
    if (!collective.is_string()) throw Error("expected the name of a collective");
    origin.collectives.push_back(parse_collective(collective.get<std::string>()));
  });
  return origin;
}

Json methods_to_json(const std::vector<Method>& methods) {
  Json list = Json::array();
  for (const Method& method : methods) {
    Json one = {{"algorithm", method.algorithm}};
    if (method.segment_size) one["segment_size"] = *method.segment_size;
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<Method> methods_from_json(const Json& envelope) {
  if (json_array(envelope, "methods").size() > kMostMethods)
    throw Error(fmt::format("more than {} methods", kMostMethods));
  std::vector<Method> methods;
  json_each(envelope, "methods", [&](const Json& one) {
    Method method{.algorithm = json_string(one, "algorithm")};
    if (one.contains("segment_size")) method.segment_size = json_unsigned(one, "segment_size");
    methods.push_back(std::move(method));
  });
  return methods;
}

// What other commands read of the statistics, where they are there.
Json checked_statistics(const Json& envelope) {
  const Json& statistics = json_object(envelope, "statistics");
  for (const char* field : {"leaves", "nodes", "min_depth", "max_depth", "cannot_run"}) {
    if (statistics.contains(field)) json_unsigned(statistics, field);
  }
  if (statistics.contains("mean_depth")) json_number(statistics, "mean_depth");
  if (!statistics.contains("frontier")) return statistics;
  json_each(statistics, "frontier", [](const Json& point) {
    if (!point.is_array() || point.size() < 2) throw Error("expected [leaves, value, bound]");
    json_unsigned_value(point[0], "leaves");
    for (std::size_t i = 1; i < point.size(); ++i) {
      if (!point[i].is_number() && !point[i].is_null()) throw Error("expected a number or null");
    }
  });
  return statistics;
}

void check_format(const Json& envelope) {
  if (!envelope.is_object() || envelope.value("format", Json()) != kFormat) {
    throw Error("not a model: 'format' is not \"colltree-model\"; colltree fit writes models");
  }
  const std::uint64_t version = json_unsigned(envelope, "version");
  if (version > kFormatVersion) {
    throw Error(
        fmt::format("model format version {} is newer than {}, the newest that colltree {} "
                    "reads; update colltree",
                    version, kFormatVersion, kVersion));
  }
}

const Kind& require_kind(const std::string& name) {
  if (const Kind* kind = find_kind(name)) return *kind;
  std::vector<std::string> names;
  for (const Kind* one : kinds()) names.emplace_back(one->name);
  throw Error(
      fmt::format("unknown kind of model '{}'; known are {}", name, fmt::join(names, ", ")));
}

Json parse_json(const std::string& file, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const JsonSyntaxError& error) {
    if (error.ends_early) {
      throw ParseError(file, error.line,
                       "the JSON ends in the middle: the file is cut off or empty");
    }
    throw ParseError(file, error.line,
                     fmt::format("this {}; a model is what colltree fit writes", error.what()));
  }
}

}  // namespace

ModelOrigin origin_of(const std::vector<Timings>& timings) {
  ModelOrigin origin{.system = timings.at(0).system, .provenance = timings[0].provenance};
  for (const Timings& one : timings) {
    origin.collectives.push_back(one.collective);
    origin.instances += one.instances.size();
  }
  origin.timings = hash_of(timings);
  return origin;
}

Json to_json(const DecisionFunction& model) {
  return {{"format", kFormat},
          {"version", kFormatVersion},
          {"kind", model.kind()},
          {"origin", origin_to_json(model.origin())},
          {"methods", methods_to_json(model.methods())},
          {"parameters", model.parameters()},
          {"statistics", model.statistics()},
          {"body", model.body()}};
}

std::unique_ptr<DecisionFunction> model_from_json(const Json& envelope) {
  check_format(envelope);
  const std::string kind_name = json_string(envelope, "kind");
  const Kind& kind = require_kind(kind_name);
  return kind.read({.origin = origin_from_json(json_object(envelope, "origin")),
                    .methods = methods_from_json(envelope),
                    .parameters = json_object(envelope, "parameters"),
                    .statistics = checked_statistics(envelope),
                    .body = json_object(envelope, "body")});
}

void save_model(const DecisionFunction& model, const std::filesystem::path& path) {
  write_file(path, to_json(model).dump(1) + "\n");
}

std::unique_ptr<DecisionFunction> load_model(const std::filesystem::path& path) {
  const Json envelope = parse_json(path.string(), read_file(path, kMostModelBytes));
  try {
    return model_from_json(envelope);
  } catch (const JsonValueError&) {
    throw Error(
        fmt::format("{}: damaged model: a field has another type than docs/formats/model.md says",
                    path.string()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace colltree
