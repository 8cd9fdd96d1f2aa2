// SPDX-License-Identifier: BSD-3-Clause
// A file of timings of whatever format: CSV (csv.h) or the output of a benchmark
// (results_format.h), told by --format or recognised by its first lines.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/log_lines.h"
#include "profile/importers/results_format.h"

namespace colltree {

// How to read it, as far as that is said.
struct ResultsOptions {
  std::string format;  // "csv" or of results_formats(); "" = to be recognised
  FileFacts given;     // on the command line
  std::optional<NamePattern> name_pattern;
  std::string time_column;  // of the format's; "" = its first
};

// Takes a file line by line. Its functions throw ParseError, and UsageError when the options do not
// fit what the file turns out to be.
class ResultsFile {
 public:
  // `options` must live as long.
  ResultsFile(std::string file, const ResultsOptions& options,
              std::function<void(const CsvRow& row)> take);

  void line(std::string_view line);
  void end();

  // After end(). nullptr: the file is CSV, whose sizes are as it says them; else they are ours.
  const ResultsFormat* format() const { return format_; }
  std::string_view time_column() const { return time_column_; }
  const TimingRows& rows() const { return *rows_; }  // where there is a format

 private:
  void recognise(std::string_view line);
  void open(const ResultsFormat& format);
  void open_csv();
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

}  // namespace colltree
