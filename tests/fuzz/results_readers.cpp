// SPDX-License-Identifier: BSD-3-Clause
// What benchmarks print (profile/importers), each format given by name, and what names of files
// say.
#include <string>

#include "profile/csv.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/results_file.h"
#include "profile/test_csv.h"
#include "reader.h"

namespace colltree::fuzz {
namespace {

void feed(profile::ResultsFile& file, std::string_view input) {
  while (!input.empty()) {
    const std::size_t end = input.find('\n');
    file.line(input.substr(0, end));
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  }
  file.end();
}

// With all that the command line can say, or nothing of it: the last byte decides.
void read_results(const profile::ResultsFormat& format, std::string_view input) {
  const unsigned choice = take_choice(input);
  profile::ResultsOptions options;
  options.format = choice & 1U ? std::string(format.name) : "";
  if (choice & 2U) {
    options.given.communicator_size = 64;
    options.given.collective = Collective::kAllgather;
    options.given.system = "cluster";
  }
  if (choice & 4U) options.time_column = format.time_columns.back();
  std::vector<profile::CsvRow> rows;
  profile::ResultsFile file("osu_{bcast}_8.txt", options,
                            [&rows](const profile::CsvRow& row) { rows.push_back(row); });
  feed(file, input);
  const std::string text = canonical_csv(rows);
  require(canonical_csv(profile::parse_csv(text, "imported.csv")) == text,
          "what is imported can be exported and imported again");
}

// The pattern up to the first end of a line, then the path.
void read_name_pattern(std::string_view input) {
  const std::size_t end = input.find('\n');
  const profile::NamePattern pattern{std::string(input.substr(0, end))};
  if (end != std::string_view::npos) pattern.read(std::string(input.substr(end + 1)));
}

}  // namespace

std::vector<Reader> results_readers() {
  std::vector<Reader> readers = {{"name-pattern", read_name_pattern}};
  for (const profile::ResultsFormat& format : profile::results_formats()) {
    readers.push_back({std::string(format.name),
                       [&format](std::string_view input) { read_results(format, input); }});
  }
  return readers;
}

}  // namespace colltree::fuzz
