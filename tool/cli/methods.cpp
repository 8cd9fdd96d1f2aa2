// SPDX-License-Identifier: BSD-3-Clause
// `colltree measure methods`: the methods of a source, and what they need.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "coll/catalogue.h"
#include "coll/library_algorithms.h"
#include "coll/library_methods.h"

namespace colltree::cli {

namespace {

struct MethodsOptions {
  std::string source = "portable";
  std::string collectives;  // "" = all that the source has
  bool json = false;
};

void print_portable_json(std::span<const Collective> collectives) {
  Json rows = Json::array();
  for (const Collective collective : collectives) {
    for (const Method& method : portable_methods(collective, paper_segment_sizes())) {
      const AlgorithmInfo& info = *find_portable_algorithm(collective, method.algorithm);
      rows.push_back({{"collective", name(collective)},
                      {"method", method.label()},
                      {"algorithm", method.name()},
                      {"segment_size", *method.segment_size},
                      {"min_communicator_size", info.min_communicator_size},
                      {"min_message_size", info.min_message_size},
                      {"needs", words_of(need_words(), info.needs)},
                      {"fallback", info.fallback}});
    }
  }
  print_results("colltree/methods/1", rows);
}

// "segments none, 1K..128K, radix 4; needs 3 ranks, 2 bytes, else runs as binary"
std::string portable_text(const AlgorithmInfo& info) {
  std::vector<std::string> parts;
  if (info.segmented())
    parts.emplace_back((info.needs & kSmallSegments) != 0 ? "segments 1K..128K"
                                                          : "segments none, 1K..128K");
  if (info.radix != 0) parts.push_back(fmt::format("radix {}", info.radix));
  if ((info.parameters & kRequests) != 0) parts.emplace_back("requests");
  if ((info.parameters & kFanout) != 0) parts.emplace_back("fanout");
  std::string text = parts.empty() ? "unsegmented" : join(parts, ", ");
  if (info.fallback == info.algorithm) return text;
  std::vector<std::string> needs;
  if (info.min_communicator_size > 1)
    needs.push_back(fmt::format("{} ranks", info.min_communicator_size));
  if (info.min_message_size > 0) needs.push_back(fmt::format("{} bytes", info.min_message_size));
  if (info.needs != 0) needs.push_back(words_of(need_words(), info.needs));
  return text + fmt::format("; needs {}, else runs as {}", join(needs, ", "), info.fallback);
}

void print_portable(std::span<const Collective> collectives) {
  for (const Collective collective : collectives) {
    fmt::print("{}\n", name(collective));
    for (const AlgorithmInfo& info : portable_algorithms()) {
      if (info.collective != collective) continue;
      fmt::print("  {:<22} {}\n", info.algorithm, portable_text(info));
    }
  }
}

// An algorithm that a library lets one choose. `start`: what a job that measures it needs in its
// environment; all else is switched in the running job.
struct Row {
  const LibraryAlgorithm* algorithm;
  std::string start;
};

std::vector<Row> rows_of(Library library, Collective collective) {
  std::vector<Row> rows;
  const auto add = [&](const LibraryAlgorithm& algorithm) {
    if (algorithm.collective == collective)
      rows.push_back({&algorithm, start_setting(library, collective,
                                                {std::string(algorithm.algorithm), std::nullopt})});
  };
  std::ranges::for_each(algorithms_of(library), add);
  if (library == Library::kMpich)
    std::ranges::for_each(mpich_nonblocking(), add, &NonblockingAlgorithm::algorithm);
  return rows;
}

// "": not known.
std::string version_text(int version) {
  return version == 0 ? "" : fmt::format("{}.{}", version / 10, version % 10);
}

// "" of one that every version has that colltree knows.
std::string versions_of(const LibraryAlgorithm& algorithm) {
  const int first = library_info(algorithm.library).first_version;
  std::string text = algorithm.since == first ? "" : "since " + version_text(algorithm.since);
  if (algorithm.until != kStillThere)
    text += (text.empty() ? "up to " : " up to ") + version_text(algorithm.until);
  return text;
}

void print_library_json(Library library, std::span<const Collective> collectives) {
  Json rows = Json::array();
  for (const Collective collective : collectives) {
    for (const Row& row : rows_of(library, collective)) {
      rows.push_back({{"collective", name(collective)},
                      {"algorithm", row.algorithm->algorithm},
                      {"since", version_text(row.algorithm->since)},
                      {"until", row.algorithm->until == kStillThere
                                    ? Json(nullptr)
                                    : Json(version_text(row.algorithm->until))},
                      {"parameters", words_of(parameter_words(), row.algorithm->parameters)},
                      {"needs", words_of(need_words(), row.algorithm->needs)},
                      {"start", row.start}});
    }
  }
  print_results("colltree/library-methods/1", rows);
}

void print_library(Library library, std::span<const Collective> collectives) {
  for (const Collective collective : collectives) {
    fmt::print("{}\n", name(collective));
    for (const Row& row : rows_of(library, collective)) {
      const LibraryAlgorithm& algorithm = *row.algorithm;
      const std::string needs = words_of(need_words(), algorithm.needs);
      std::vector<std::string> parts = {
          words_of(parameter_words(), algorithm.parameters), needs.empty() ? "" : "needs " + needs,
          versions_of(algorithm), row.start.empty() ? "" : "a job of its own: " + row.start};
      std::erase(parts, "");
      fmt::print("  {}\n", parts.empty()
                               ? std::string(algorithm.algorithm)
                               : fmt::format("{:<45} {}", algorithm.algorithm, join(parts, "; ")));
    }
  }
}

std::vector<Collective> collectives_of(const MethodsOptions& options) {
  if (!options.collectives.empty()) return parse_collectives(options.collectives);
  std::vector<Collective> collectives;
  for (const CollectiveInfo& info : all_collectives()) {
    if (options.source == "portable"
            ? !portable_methods(info.collective, {}).empty()
            : !rows_of(parse_library(options.source), info.collective).empty())
      collectives.push_back(info.collective);
  }
  return collectives;
}

void print_methods(const MethodsOptions& options) {
  const std::vector<Collective> collectives = collectives_of(options);
  if (options.source == "portable")
    return options.json ? print_portable_json(collectives) : print_portable(collectives);
  const Library library = parse_library(options.source);
  options.json ? print_library_json(library, collectives) : print_library(library, collectives);
}

}  // namespace

void declare_methods(CLI::App& app) {
  auto options = std::make_shared<MethodsOptions>();
  app.add_option(
         "--source", options->source,
         fmt::format("whose methods: portable (colltree's own), {} (those that the library lets "
                     "one choose)",
                     library_names()))
      ->capture_default_str();
  app.add_option("--collective", options->collectives,
                 "collectives, comma-separated (default: all that the source has)");
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { print_methods(*options); });
}

}  // namespace colltree::cli
