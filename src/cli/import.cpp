// SPDX-License-Identifier: BSD-3-Clause
// `colltree import`, `colltree export` and `colltree merge`: timings between files.
#include "profile/import.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/lines.h"
#include "base/text.h"
#include "cli/command.h"

namespace colltree {

namespace {

struct ImportCommandOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string message_size = "block";
  bool split_placements = false;
  std::optional<std::string> system;
};

constexpr const char* kMessageSizeHelp =
    "what msg_bytes means for allgather, gather, scatter, alltoall (and their v variants): "
    "block = the block of one rank, of one pair for alltoall (our own meaning, and what export "
    "writes); total = the whole buffer, which is divided by procs (a remainder is rounded down "
    "and reported). Either way it is the message for bcast, reduce, allreduce and scan and the "
    "total for reduce_scatter";

// A profile that did not exist before does not stay when nothing came into it.
void store_into(const std::filesystem::path& path, const std::function<void(Profile&)>& work) {
  const std::filesystem::path file = follow(path).path;  // a link to it stays whatever happens
  const bool existed = std::filesystem::exists(file);
  try {
    Profile profile(path, OpenMode::kWrite);
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

void report(const ImportReport& report, const std::string& from, const std::string& to) {
  fmt::print("{}: {} rows of {} -> {}\n", from, report.rows, join(report.systems, ", "), to);
  if (report.known) fmt::print("  nothing changed: these timings are there already\n");
  if (report.blocks > 0) {
    fmt::print(
        "  in {} rows msg_bytes was taken as the block of one rank; if it is the whole buffer, "
        "import them anew with --message-size total\n",
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

// Piece by piece: a file may be far longer than what is kept of it.
CsvLines lines_of(const std::string& file) {
  return [file](const std::function<void(std::string_view)>& take) {
    LineSplitter lines(file, take);
    InputFile(file).each_piece([&](std::string_view piece) { lines.add(piece); });
    lines.end();
  };
}

void import(const ImportCommandOptions& options) {
  const std::string& file = options.inputs.front();
  const ImportOptions convention{options.message_size == "total" ? MessageSizeConvention::kTotal
                                                                 : MessageSizeConvention::kBlock,
                                 options.split_placements};
  if (options.split_placements && is_database(file)) {
    throw UsageError(fmt::format(
        "--split-placements: {} is a profile; write 'colltree export {} -o F.csv' and import F.csv",
        file, file));
  }
  store_into(options.output, [&](Profile& profile) {
    if (is_database(file)) {
      merge(profile, Profile(file, OpenMode::kRead));
      fmt::print("{}: merged into {}\n", file, options.output);
    } else {
      report(import_csv(profile, lines_of(file), file, convention), file, options.output);
    }
  });
}

void merge_all(const ImportCommandOptions& options) {
  store_into(options.output, [&](Profile& profile) {
    profile.in_transaction([&] {
      for (const std::string& input : options.inputs) {
        merge(profile, Profile(input, OpenMode::kRead));
      }
    });
  });
  fmt::print("{} -> {}\n", join(options.inputs, ", "), options.output);
}

void export_to(const ImportCommandOptions& options) {
  const std::string csv =
      export_csv(Profile(options.inputs.front(), OpenMode::kRead), options.system);
  if (options.output == "-") {
    fmt::print("{}", csv);
  } else {
    write_file(options.output, csv);
  }
}

}  // namespace

void declare_import(CommandLine& line) {
  auto options = std::make_shared<ImportCommandOptions>();
  line.add("file", options->inputs, "timings as CSV, plain or gzip; or another profile")
      .required()
      .once();
  line.add_output("-o,--output", options->output, "the profile; made when it does not exist")
      .required();
  line.add("--message-size", options->message_size, kMessageSizeHelp)
      .one_of({"block", "total"})
      .show_default();
  line.add_flag("--split-placements", options->split_placements,
                "a system measured with several placements becomes one for each: NAME-ppn16, "
                "NAME-nodes4 or NAME-4x16, as few as leave each point one placement");
  line.set_work([options] { import(*options); });
}

void declare_export(CommandLine& line) {
  auto options = std::make_shared<ImportCommandOptions>();
  line.add("profile", options->inputs, "the profile, P.db").required().once();
  line.add_output("-o,--output", options->output, "the CSV file; - for standard output").required();
  line.add("--system", options->system, "only this system; all when absent");
  line.set_work([options] { export_to(*options); });
}

void declare_merge(CommandLine& line) {
  auto options = std::make_shared<ImportCommandOptions>();
  line.add("profiles", options->inputs, "profiles; none of them is changed").required();
  line.add_output("-o,--output", options->output,
                  "the profile that gets everything; keeps what it holds already")
      .required();
  line.set_work([options] { merge_all(*options); });
}

}  // namespace colltree
