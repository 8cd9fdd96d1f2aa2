// SPDX-License-Identifier: BSD-3-Clause
// `colltree import` and `colltree export`: timings between files.
#include "profile/import.h"

#include <fmt/core.h>

#include <functional>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"
#include "cli/command.h"
#include "coll/library.h"
#include "kit/import_results.h"

namespace colltree::cli {

namespace {

struct ImportCommandOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<std::string> message_size;
  bool split_placements = false;
  std::optional<std::string> system;
  std::string algorithms;
  // The options that say what the output of a benchmark does not:
  std::optional<std::string> format, mpi_library, collective, method, name_pattern;
  std::optional<std::string> columns;
  std::optional<std::uint64_t> communicator_size, nodes, ranks_per_node;
};

constexpr const char* kKitFormat = "kit";

constexpr const char* kMessageSizeHelp =
    "what msg_bytes means for allgather, gather, scatter, alltoall (and their v variants): "
    "block = the block of one rank, of one pair for alltoall (our own meaning, and what export "
    "writes); total = the whole buffer, which is divided by procs (a remainder is rounded down "
    "and reported). Either way it is the message for bcast, reduce, allreduce and scan and the "
    "total for reduce_scatter";

// A profile that did not exist before does not stay when nothing came into it.
void store_into(const std::filesystem::path& path,
                const std::function<void(profile::Profile&)>& work) {
  const std::filesystem::path file = follow(path).path;  // a link to it stays whatever happens
  const bool existed = std::filesystem::exists(file);
  try {
    profile::Profile profile(path, profile::OpenMode::kWrite);
    work(profile);
  } catch (...) {
    std::error_code ignored;
    if (!existed) {
      // On a full disk SQLite may leave its journal; without its profile it belongs to nothing.
      std::filesystem::remove(file.string() + "-journal", ignored);
      std::filesystem::remove(file, ignored);
    }
    throw;
  }
}

void report(const profile::ImportReport& report, const std::string& from, const std::string& to) {
  const std::string tool = report.tool.empty() ? "" : fmt::format(" ({})", report.tool);
  fmt::print("{}{}: {} rows of {} -> {}\n", from, tool, report.rows, join(report.systems, ", "),
             to);
  for (const auto& [what, counted] : report.left_out) {
    fmt::print("  left out: {} {}\n", what, counted.text());
  }
  for (const auto& [what, counted] : report.notes) {
    const std::string where = counted.first_line == 0 ? "" : " " + counted.text();
    fmt::print("  {}{}\n", what, where);
  }
  if (report.known) fmt::print("  nothing changed: these timings are there already\n");
  if (report.blocks > 0) {
    fmt::print(
        "  in {} rows msg_bytes was taken as the block of one rank; if it is the whole buffer, "
        "import them anew with --message-sizes total\n",
        report.blocks);
  }
  if (report.converted > 0) {
    fmt::print("  in {} rows the total was divided into blocks of one rank", report.converted);
    fmt::print("; {} of them left a remainder and were rounded down\n", report.remainders);
  }
  if (report.repeats > 0) {
    fmt::print("  {} rows equal another in every field and are kept as repeats\n", report.repeats);
  }
}

// Reads piece by piece, because a file may be far longer than what is kept of it.
profile::CsvLines lines_of(const std::string& file) {
  return [file](const std::function<void(std::string_view)>& take) {
    LineSplitter lines(file, take);
    read_pieces(file, [&](std::string_view piece) { lines.add(piece); });
    lines.end();
  };
}

profile::ResultsOptions results_options(const ImportCommandOptions& options) {
  profile::ResultsOptions results{
      .format = options.format.value_or(""),
      .given = {.communicator_size = options.communicator_size,
                .nodes = options.nodes,
                .ranks_per_node = options.ranks_per_node,
                .system = options.system.value_or(""),
                .mpi = options.mpi_library.value_or("")},
  };
  if (options.collective)
    results.given.collective = profile::find_called_collective(*options.collective);
  if (options.collective && !results.given.collective) {
    results.given.collective = parse_collective(*options.collective);
  }
  if (options.method) results.given.method = parse_method_name(lower(*options.method));
  if (options.name_pattern) results.name_pattern.emplace(*options.name_pattern);
  constexpr std::string_view kTime = "time=";
  if (options.columns && options.columns->starts_with(kTime)) {
    results.time_column = options.columns->substr(kTime.size());
  } else if (options.columns) {
    results.columns = profile::parse_column_names(*options.columns);
  }
  return results;
}

profile::ImportOptions import_options(const ImportCommandOptions& options) {
  profile::ImportOptions parsed{.split_placements = options.split_placements,
                                .algorithms = options.algorithms,
                                .results = results_options(options)};
  if (options.message_size) {
    parsed.convention = *options.message_size == "total" ? profile::MessageSizeConvention::kTotal
                                                         : profile::MessageSizeConvention::kBlock;
  }
  return parsed;
}

// The results of a kit name their source and sizes, so that other options would contradict them.
profile::ImportReport import_kit(profile::Profile& profile, const std::string& file,
                                 const ImportCommandOptions& options) {
  const bool said = options.message_size || options.mpi_library || options.collective ||
                    options.method || options.columns || options.name_pattern ||
                    options.communicator_size || options.nodes || options.ranks_per_node ||
                    options.split_placements || !options.algorithms.empty();
  if (said)
    throw UsageError(
        fmt::format("{}: the results of a kit name their source and sizes themselves; of these "
                    "options only --system applies",
                    file));
  return kit::import_kit_results(profile, lines_of(file), file, options.system);
}

// All files or none.
void import(const ImportCommandOptions& options) {
  profile::CellOwners owners;
  profile::ImportOptions parsed = import_options(options);
  parsed.owners = &owners;
  for (const std::string& file : options.inputs) {
    if (!options.split_placements || !profile::is_database(file)) continue;
    throw UsageError(fmt::format(
        "--split-placements: {} is a profile; write 'colltree export {} -o F.csv' and import F.csv",
        file, file));
  }
  std::vector<std::pair<std::string, std::optional<profile::ImportReport>>> done;
  store_into(options.output, [&](profile::Profile& profile) {
    profile.in_transaction([&] {
      for (const std::string& file : options.inputs) {
        done.emplace_back(file, std::nullopt);
        if (profile::is_database(file)) {
          profile::merge(profile, profile::Profile(file, profile::OpenMode::kRead));
        } else if (options.format ? *options.format == kKitFormat : kit::is_kit_results(file)) {
          done.back().second = import_kit(profile, file, options);
        } else {
          done.back().second = profile::import_file(profile, lines_of(file), file, parsed);
        }
      }
    });
  });
  for (const auto& [file, imported] : done) {
    if (imported) report(*imported, file, options.output);
    if (!imported) fmt::print("{}: merged into {}\n", file, options.output);
  }
}

std::string columns_help() {
  std::string help =
      "what the columns of another table of CSV mean, e.g. 'procs=nprocs,msg_bytes=size,time_ms=t "
      "avg'; ours are those of docs/reference/formats/csv.md, and time_ns, time_ms and time_s; "
      "what holds for all rows is said by --system, --collective, --communicator-sizes and the "
      "like; of a benchmark time=NAME, the column of times to take (default: the first of these): ";
  for (const profile::ResultsFormat& format : profile::results_formats()) {
    help += fmt::format("{}: {}; ", format.name, join(format.time_columns, ", "));
  }
  return help + "osu and imb have them over ranks, reprompi and pico over repetitions";
}

}  // namespace

void declare_import(CLI::App& app) {
  auto options = std::make_shared<ImportCommandOptions>();
  app.add_option(
         "files", options->inputs,
         "timings as CSV, output of benchmarks or of a kit, plain or gzip, or other profiles; "
         "after an error in one of them none is imported")
      ->required();
  app.add_option("-o,--output", options->output,
                 "the profile to add to; it is created if it does not exist")
      ->check(output_file())
      ->required();
  app.add_option("--message-sizes", options->message_size, kMessageSizeHelp)
      ->check(CLI::IsMember({"block", "total"}))
      ->default_str("block");
  app.add_option("--columns", options->columns, columns_help());
  std::vector<std::string> formats = profile::results_format_names();
  formats.emplace_back("csv");
  formats.emplace_back(kKitFormat);
  app.add_option("--format", options->format, "format of the files (default: recognised)")
      ->check(CLI::IsMember(formats));
  app.add_option(
         "--source", options->algorithms,
         fmt::format("whose algorithms were measured: portable (colltree's own), {}; models "
                     "fitted to the profile then run only where these are (default: not known)",
                     library_names()))
      ->check(CLI::IsMember(with_libraries({"portable"})));
  app.add_flag("--split-placements", options->split_placements,
               "make a system of its own for each placement: NAME-ppn16, NAME-nodes4 or "
               "NAME-4x16");
  app.option_defaults()->group("Output of benchmarks: what neither the file nor its name says");
  app.add_option("--system", options->system,
                 "name for the machine and its MPI library in the profile");
  app.add_option("--mpi", options->mpi_library, "library and version, e.g. openmpi-4.1.5");
  app.add_option("--collective", options->collective, "the collective that was measured");
  app.add_option("--methods", options->method,
                 "the method that was measured; default: the library's own choice")
      ->default_str("default");
  app.add_option("--communicator-sizes", options->communicator_size, "number of ranks")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option("--nodes", options->nodes, "number of nodes")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option("--ranks-per-node", options->ranks_per_node, "ranks per node")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option(
      "--name-pattern", options->name_pattern,
      "what the names of the files say, e.g. 'osu_{collective}_{method}_{ranks}.txt' or "
      "'{collective}/{method}/*.out'; fields: collective, method, openmpi_number, segment, ranks, "
      "nodes, ppn, system; * is any text");
  app.callback([options] { import(*options); });
}

void declare_export(CLI::App& app) {
  auto options = std::make_shared<ImportCommandOptions>();
  app.add_option("profile", options->inputs, "the profile, P.db")->required()->expected(1);
  app.add_option("-o,--output", options->output, "the CSV file; -: standard output")
      ->check(output_file(true))
      ->required();
  app.add_option("--system", options->system, "export only this system (default: all)");
  app.callback([options] {
    const profile::Profile profile(options->inputs.front(), profile::OpenMode::kRead);
    write_or_print(options->output, profile::export_csv(profile, options->system));
  });
}

}  // namespace colltree::cli
