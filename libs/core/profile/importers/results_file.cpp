// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/results_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "profile/importers/log_lines.h"

namespace colltree::profile {

std::span<const ResultsFormat> results_formats() {
  static const ResultsFormat kFormats[] = {
#define COLLTREE_RESULTS_FORMAT(name) importers::name(),
#include "profile/importers/formats.def"
#undef COLLTREE_RESULTS_FORMAT
  };
  return kFormats;
}

std::vector<std::string> results_format_names() {
  std::vector<std::string> names;
  for (const ResultsFormat& format : results_formats()) names.emplace_back(format.name);
  return names;
}

namespace {

// nullptr: no format recognises the line.
const ResultsFormat* recognised_format(std::string_view line) {
  std::string held;
  const std::string_view plain = plain_line(line, held);
  for (const ResultsFormat& format : results_formats()) {
    if (format.recognises != nullptr ? format.recognises(line)
                                     : find_mark(plain, format.marks).has_value()) {
      return &format;
    }
  }
  return nullptr;
}

constexpr std::size_t kMostHeadBytes = std::size_t{1} << 20;  // by which a file is recognised

bool is_named_csv(const std::string& file) {
  std::filesystem::path path = file;
  if (path.extension() == ".gz") path = path.stem();
  return path.extension() == ".csv";
}

// Formats that users often try and that are not read: a mark in one of the first lines, the name.
constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"Memory type:", "ucc_perftest"},
    {"size (bytes),itera", "MPIBenchmarks.jl"},
    {"SKaMPI", "SKaMPI"},
    {"@ mpiP", "mpiP"},
    {"# OMB", "OMB-Py"},
    {"\"nccl-tests", "nccl-tests as JSON"}};

std::string_view foreign_name(std::string_view line) {
  for (const auto& [mark, name] : kForeign) {
    if (line.find(mark) != std::string_view::npos) return name;
  }
  return "";
}

// The values that the command line gives to all rows of a table with other columns.
std::map<std::string, std::string> values_for_all(const FileFacts& given) {
  std::map<std::string, std::string> values = {{"algorithm", kDefaultAlgorithm}};
  const auto say = [&](const char* column, const std::string& value) {
    if (!value.empty()) values[column] = value;
  };
  const auto number = [](std::optional<std::uint64_t> value) {
    return value ? std::to_string(*value) : std::string();
  };
  say("system", given.system);
  say("mpi", given.mpi);
  say("collective", given.collective ? std::string(name(*given.collective)) : "");
  say("procs", number(given.communicator_size));
  say("nodes", number(given.nodes));
  say("ppn", number(given.ranks_per_node));
  say("algorithm", given.method ? given.method->name() : "");
  say("segment_bytes", number(given.method ? given.method->segment_size : std::nullopt));
  return values;
}

// The first given option that does not apply to a CSV file.
std::string first_given(const ResultsOptions& options) {
  const FileFacts& given = options.given;
  if (options.name_pattern) return "--name-pattern";
  if (!options.time_column.empty()) return "--columns time=NAME";
  if (!options.columns.empty()) return "";
  if (!given.system.empty()) return "--system";
  if (!given.mpi.empty()) return "--mpi";
  if (given.collective) return "--collective";
  if (given.method) return "--methods";
  if (given.communicator_size) return "--communicator-sizes";
  if (given.nodes) return "--nodes";
  return given.ranks_per_node ? "--ranks-per-node" : "";
}

}  // namespace

ResultsFile::ResultsFile(std::string file, const ResultsOptions& options,
                         std::function<void(const CsvRow&)> take)
    : file_(std::move(file)), options_(options), take_(std::move(take)) {
  if (options.format == "csv" || !options.columns.empty()) {
    if (options.format != "csv" && !options.format.empty())
      throw UsageError(fmt::format("{}: --columns is for CSV, not for {}", file_, options.format));
    csv_.emplace(file_, take_, CsvColumns{options.columns, values_for_all(options.given)});
  } else if (!options.format.empty()) {
    open(*std::ranges::find(results_formats(), options.format, &ResultsFormat::name));
  }
}

void ResultsFile::line(std::string_view line) {
  ++number_;
  if (format_ == nullptr && !csv_) return recognise(line);
  give(line);
}

void ResultsFile::give(std::string_view line) {
  if (csv_) {
    if (number_ == 1) check_csv(line);
    return csv_->line(line);
  }
  rows_->at_line(number_);
  if (!log_) return reader_->line(line);
  line = log_->clean(line);
  rows_->run().read(line);
  reader_->line(line);
}

void ResultsFile::recognise(std::string_view line) {
  head_.emplace_back(line);
  head_bytes_ += line.size() + 1;
  if (const ResultsFormat* format = recognised_format(line)) {
    open(*format);
  } else if (number_ == 1 && (line.starts_with("system,") || is_named_csv(file_))) {
    csv_.emplace(file_, take_);
  } else if (head_bytes_ > kMostHeadBytes) {
    unknown();
  } else {
    return;
  }
  number_ = 0;
  for (const std::string& read : head_) {
    ++number_;
    give(read);
  }
  head_.clear();
}

void ResultsFile::open(const ResultsFormat& format) {
  format_ = &format;
  time_column_ = options_.time_column.empty() ? format.time_columns.front() : options_.time_column;
  if (std::ranges::find(format.time_columns, time_column_) == format.time_columns.end()) {
    throw UsageError(fmt::format("{}: --columns time=NAME of {}: expected {}, got '{}'", file_,
                                 format.name, join(format.time_columns, ", "), time_column_));
  }
  rows_.emplace(file_, given_facts(), take_);
  if (!format.marks.empty()) log_.emplace(format.marks);
  reader_ = format.open(*rows_, time_column_);
}

// The facts of the file's name and of the command line.
FileFacts ResultsFile::given_facts() const {
  std::optional<FileFacts> name;
  if (options_.name_pattern) {
    name = options_.name_pattern->read(file_);
  } else if (!format_->own_pattern.empty() && !options_.given.collective) {
    name = NamePattern(std::string(format_->own_pattern)).find(file_);
  }
  if (!name) return options_.given;
  try {
    return agreed(*name, options_.given);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(file_), error.what()));
  }
}

// Checks the first line.
void ResultsFile::check_csv(std::string_view line) const {
  if (options_.columns.empty() && line != kCsvHeader) {
    const std::string_view foreign = foreign_name(line);
    if (!foreign.empty()) not_read(foreign);
    return;  // its reader refuses it
  }
  if (const std::string option = first_given(options_); !option.empty()) {
    throw UsageError(fmt::format(
        "{}: a CSV file says this itself; {} is for the output of benchmarks", file_, option));
  }
}

void ResultsFile::not_read(std::string_view format) const {
  throw ParseError(file_, 1,
                   fmt::format("this is the output of {}, a format that is not read; write its "
                               "times as CSV, whose columns --columns names",
                               format));
}

void ResultsFile::unknown() const {
  for (const std::string& line : head_) {
    if (const std::string_view foreign = foreign_name(line); !foreign.empty()) not_read(foreign);
  }
  const std::string first = head_.empty() ? "" : head_.front().substr(0, 100);
  throw ParseError(file_, 1,
                   fmt::format("the CSV header '{}' or the output of {}", kCsvHeader,
                               join(results_format_names(), ", ")),
                   first);
}

void ResultsFile::end() {
  if (format_ == nullptr && !csv_) {
    if (!is_named_csv(file_) || !head_.empty()) unknown();
    csv_.emplace(file_, take_);
  }
  if (csv_) return csv_->end();
  rows_->at_line(number_);
  reader_->end();
  if (log_ && !log_->label().empty()) {
    rows_->note(fmt::format("'{}' in front of the lines was taken off", printable(log_->label())));
  }
  if (rows_->added() > 0) return;
  std::string left_out;
  for (const auto& [what, counted] : rows_->left_out()) {
    left_out += fmt::format("; left out: {} {}", what, counted.text());
  }
  throw Error(
      fmt::format("{}: there are no timings in it that could be imported{}", file_, left_out));
}

}  // namespace colltree::profile
