// SPDX-License-Identifier: BSD-3-Clause
// A file of timings in any format: CSV (csv.h) or the output of a benchmark (ResultsFormat), named
// by
// --format or recognised by its first lines.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/log_lines.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

// The benchmark outputs that `colltree import` reads (docs/tasks/importing.md), one row each.

// Takes a file line by line, without the line ends; the rows know the number of the line.
class ResultsReader {
 public:
  virtual ~ResultsReader() = default;
  virtual void line(std::string_view line) = 0;
  virtual void end() {}  // after the last; for what is missing
};

template <typename Reader>
std::unique_ptr<ResultsReader> open_reader(TimingRows& rows, std::string_view time_column) {
  return std::make_unique<Reader>(rows, time_column);
}

struct ResultsFormat {
  std::string_view name;   // --format
  std::string_view tool;   // in words
  std::string_view sizes;  // what its sizes mean and what was made of them, for the profile
  // The values of --columns time=NAME; the first is its default.
  std::vector<std::string_view> time_columns;
  // A pattern for the format's usual file names, used if it fits and no other is given; "" = none.
  std::string_view own_pattern;
  // Printed output is a log, with labels, lines of other programs and other tests (log_lines.h).
  // Only lines of this format begin with one of these marks.
  std::vector<std::string_view> marks;
  // A file that is no log is recognised by this test of a line, which only this format passes.
  bool (*recognises)(std::string_view line) = nullptr;
  // open_reader of its reader. `time_column` is one of the values above.
  std::unique_ptr<ResultsReader> (*open)(TimingRows& rows, std::string_view time_column);
};

std::span<const ResultsFormat> results_formats();
std::vector<std::string> results_format_names();

// One function for each format returns its row; it is defined in the file that reads the format.
namespace importers {
#define COLLTREE_RESULTS_FORMAT(name) ResultsFormat name();
#include "profile/importers/formats.def"
#undef COLLTREE_RESULTS_FORMAT
}  // namespace importers

// The options about the format of a file.
struct ResultsOptions {
  std::string format;  // "csv" or of results_formats(); "" = to be recognised
  FileFacts given;     // on the command line
  std::optional<NamePattern> name_pattern;
  std::string time_column;                          // of the format's; "" = its first
  std::map<std::string, std::string> columns = {};  // CsvColumns::names of a CSV file
};

// Takes a file line by line. Its functions throw ParseError, and UsageError when the options do not
// fit the format of the file.
class ResultsFile {
 public:
  // `options` must outlive this.
  ResultsFile(std::string file, const ResultsOptions& options,
              std::function<void(const CsvRow& row)> take);

  void line(std::string_view line);
  void end();

  // Call it after end(). nullptr: the file is CSV, whose sizes may need converting; others are
  // ours.
  const ResultsFormat* format() const { return format_; }
  std::string_view time_column() const { return time_column_; }
  const TimingRows& rows() const { return *rows_; }  // where there is a format

 private:
  void recognise(std::string_view line);
  void open(const ResultsFormat& format);
  void check_csv(std::string_view line) const;
  [[noreturn]] void not_read(std::string_view format) const;
  FileFacts given_facts() const;
  void give(std::string_view line);
  [[noreturn]] void unknown() const;

  std::string file_;
  const ResultsOptions& options_;
  std::function<void(const CsvRow&)> take_;
  std::vector<std::string> head_;  // lines of a format that is not known yet
  std::size_t head_bytes_ = 0;
  std::size_t number_ = 0;
  const ResultsFormat* format_ = nullptr;
  std::string_view time_column_;
  std::optional<TimingRows> rows_;
  std::optional<LogLines> log_;  // of what was printed
  std::unique_ptr<ResultsReader> reader_;
  std::optional<CsvReader> csv_;
};

}  // namespace colltree::profile
