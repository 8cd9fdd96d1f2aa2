// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_methods.h"

#include "base/bounds.h"
#include "base/error.h"
#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree {

namespace {

// The lists in the order of kParameterKeys.
constexpr std::vector<std::uint64_t> ParameterValues::*kLists[] = {
    &ParameterValues::fanout, &ParameterValues::radix, &ParameterValues::requests,
    &ParameterValues::up_module, &ParameterValues::low_module};
static_assert(std::size(kLists) == std::size(kParameterKeys));

void read_values(std::string_view part, ParameterValues& values) {
  if (part == "nonblocking") {
    values.nonblocking = true;
    return;
  }
  const std::size_t equals = part.find('=');
  for (std::size_t i = 0; i < std::size(kLists); ++i) {
    const ParameterKey& parameter = kParameterKeys[i];
    if (equals == std::string_view::npos || part.substr(0, equals) != parameter.key) continue;
    std::vector<std::uint64_t>& list = values.*kLists[i];
    list.clear();
    for (const std::string_view word : split(part.substr(equals + 1), ':')) {
      list.push_back(
          parse_whole(word, {1, parameter.most}, concat("--parameters: ", parameter.key)));
    }
    values.tree_requests = values.tree_requests || parameter.bit == kRequests;
    return;
  }
  throw UsageError(
      concat("--parameters: '", part,
             "' is none; write for example fanout=2:4,radix=8,requests=16,nonblocking"));
}

void add_methods(const LibraryAlgorithm& algorithm, std::span<const std::uint64_t> segment_sizes,
                 const ParameterValues& values, std::vector<Method>& methods) {
  const std::string algorithm_name(algorithm.algorithm);
  std::vector<MethodParameters> choices = parameter_choices(algorithm.parameters, values);
  if ((algorithm.parameters & kFanout) == 0) choices.emplace(choices.begin());
  for (const MethodParameters& parameters : choices) {
    if ((algorithm.parameters & kSegmentSize) == 0) {
      methods.push_back({algorithm_name, std::nullopt, parameters});
      continue;
    }
    methods.push_back({algorithm_name, 0, parameters});
    for (const std::uint64_t segment_size : segment_sizes) {
      if (segment_size != 0) methods.push_back({algorithm_name, segment_size, parameters});
    }
  }
}

}  // namespace

ParameterValues portable_parameter_values() {
  return {.fanout = {}, .radix = {4, 8}, .requests = {4, 16}};
}

std::vector<MethodParameters> parameter_choices(std::uint32_t parameters,
                                                const ParameterValues& values) {
  std::vector<MethodParameters> choices;
  for (std::size_t i = 0; i < std::size(kLists); ++i) {
    if ((parameters & kParameterKeys[i].bit) == 0) continue;
    for (const std::uint64_t value : values.*kLists[i]) {
      choices.emplace_back().*kParameterKeys[i].value = value;
    }
  }
  return choices;
}

ParameterValues parse_parameter_values(std::string_view text, ParameterValues values) {
  if (trim(text).empty()) return values;
  for (const std::string_view part : split(text, ',')) read_values(trim(part), values);
  return values;
}

namespace {

constexpr std::string_view kUnknown = "unknown_";

}  // namespace

std::string start_setting(Library library, Collective collective, const Method& method) {
  if (library == Library::kOpenmpi) {
    const auto module = [&](const char* which, std::uint64_t number) {
      return concat("OMPI_MCA_coll_han_", name(collective), "_", which, "_module=", number);
    };
    const MethodParameters& given = method.parameters;
    if (given.up_module != 0) return module("up", given.up_module);
    return given.low_module == 0 ? "" : module("low", given.low_module);
  }
  if (library == Library::kIntel) {
    const std::string number = told_unknown(method.algorithm).empty()
                                   ? told_name(library, collective, method.algorithm)
                                   : std::string(told_unknown(method.algorithm));
    return number.empty() ? "" : concat("I_MPI_ADJUST_", upper(name(collective)), "=", number);
  }
  const NonblockingAlgorithm* algorithm = find_nonblocking(collective, method.algorithm);
  return algorithm == nullptr || algorithm->start.empty()
             ? ""
             : "MPIR_CVAR_" + std::string(algorithm->start);
}

std::string unknown_algorithm(std::string_view name) { return concat(kUnknown, name); }

std::string_view told_unknown(std::string_view algorithm) {
  return algorithm.starts_with(kUnknown) ? algorithm.substr(kUnknown.size()) : std::string_view();
}

std::string told_name(Library library, Collective collective, std::string_view algorithm) {
  const NonblockingAlgorithm* nonblocking =
      library == Library::kMpich ? find_nonblocking(collective, algorithm) : nullptr;
  if (nonblocking != nullptr) return concat("nb_", variable_name(*nonblocking));
  const LibraryAlgorithm* row = find_algorithm(library, collective, algorithm);
  if (row == nullptr) return "";
  return std::string(library == Library::kMpich ? row->algorithm : row->library_name);
}

std::vector<Method> library_methods(Library library, Collective collective,
                                    std::span<const std::uint64_t> segment_sizes,
                                    const ParameterValues& values) {
  std::vector<Method> methods;
  for (const LibraryAlgorithm& algorithm : algorithms_of(library)) {
    if (algorithm.collective == collective) add_methods(algorithm, segment_sizes, values, methods);
  }
  if (library != Library::kMpich || !values.nonblocking) return methods;
  for (const NonblockingAlgorithm& algorithm : mpich_nonblocking()) {
    if (algorithm.algorithm.collective == collective)
      add_methods(algorithm.algorithm, segment_sizes, values, methods);
  }
  return methods;
}

std::vector<Method> segmented_below(std::span<const Method> methods, std::uint64_t message_size) {
  std::vector<Method> kept;
  for (const Method& method : methods) {
    const std::uint64_t segment_size = method.segment_size.value_or(0);
    if (segment_size == 0 || segment_size < message_size) kept.push_back(method);
  }
  return kept;
}

std::vector<Method> select_methods(std::string_view text, std::span<const Method> known,
                                   std::optional<Collective> collective) {
  std::vector<Method> methods;
  for (const std::string_view part : split(text, ',')) {
    const std::string wanted = lower(trim(part));
    const std::size_t before = methods.size();
    std::vector<std::string> names;
    for (const Method& method : known) {
      names.push_back(method.label());
      names.push_back(method.algorithm);
      if (wanted == lower(method.label()) || wanted == method.name() || wanted == method.algorithm)
        methods.push_back(method);
    }
    if (methods.size() > before) continue;
    const std::string hint = did_you_mean(trim(part), names);
    throw Error(concat("unknown method '", trim(part), "'",
                       collective ? concat(" of ", name(*collective)) : "",
                       hint.empty() ? "; colltree measure methods --source lists them" : hint));
  }
  return methods;
}

}  // namespace colltree
