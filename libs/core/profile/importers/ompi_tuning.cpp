// SPDX-License-Identifier: BSD-3-Clause
// output/COLLECTIVE/detail.out of open-mpi/ompi-collectives-tuning: a table with a column for each
// of Open MPI's algorithms, by number or by name; mean and standard deviation in microseconds.
//
//     #Nnodes    Message_size 0                    1                    6
//     2          1            107.78(0.61)         64.33(0.94)          No data 107.78(0.61)
//
// The first column is the number of ranks, whatever its title says. The last one repeats the
// default's and has no title in files of 2020 and later. Sizes are OSU's (IMB's for
// reduce_scatter_block): all as the glossary counts them.
#include <optional>
#include <string>

#include "base/text.h"
#include "coll/library_algorithms.h"
#include "profile/importers/results_file.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

bool recognises_ompi_tuning(std::string_view line) {
  return (line.starts_with("#Nnodes") || line.starts_with("#Nranks")) &&
         line.find("Message_size") != std::string_view::npos &&
         line.find("Best_Algorithm") == std::string_view::npos;
}

class OmpiTuningReader : public ResultsReader {
 public:
  OmpiTuningReader(TimingRows& rows, std::string_view /*mean*/) : rows_(rows) {}

  void line(std::string_view line) override {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    if (recognises_ompi_tuning(line)) return header(words);
    if (methods_.empty())
      rows_.expected("the header '#Nnodes Message_size ...' of detail.out", line);
    row(words);
  }

  void end() override {
    if (methods_.empty()) rows_.ends_before("'#Nnodes Message_size ...'");
  }

 private:
  void header(const std::vector<std::string_view>& words) {
    collective_ = rows_.collective(std::nullopt);
    methods_.clear();
    for (std::size_t i = 2; i < words.size(); ++i) methods_.push_back(method(words[i]));
    if (methods_.empty()) rows_.expected("a column for each algorithm", words.back());
  }

  Method method(std::string_view title) const {
    if (const auto number = parse_number<std::uint16_t>(title)) {
      const auto found = find_openmpi_method(collective_, *number);
      if (!found) {
        rows_.wrong("Open MPI has no algorithm " + std::string(title) + " of " +
                    std::string(name(collective_)));
      }
      return *found;
    }
    if (title == "tuned" || title == "default" || title == "ignore") return library_default();
    const LibraryAlgorithm* found = find_algorithm(Library::kOpenmpi, collective_, title);
    if (found == nullptr) {
      rows_.expected("an algorithm of Open MPI's " + std::string(name(collective_)), title);
    }
    return {.algorithm = std::string(found->algorithm)};
  }

  void row(const std::vector<std::string_view>& words) {
    FileTiming timing;
    timing.facts.collective = collective_;
    timing.facts.communicator_size =
        rows_.ranks(words[0], "the number of ranks", "a number of ranks");
    if (words.size() < 3) rows_.expected("a time for each algorithm", words.back());
    timing.bytes = rows_.whole(words[1], "Message_size");
    std::size_t column = 0;
    for (std::size_t i = 2; i < words.size(); ++i, ++column) {
      const bool none = words[i] == "No" && i + 1 < words.size() && words[i + 1] == "data";
      if (none) ++i;
      if (none || column >= methods_.size()) continue;
      timing.facts.method = methods_[column];
      timing.time_us = mean_us(words[i]);
      rows_.add(timing);
    }
    if (column != methods_.size() && column != methods_.size() + 1) {
      rows_.expected(std::to_string(methods_.size()) + " times, or one more",
                     std::to_string(column));
    }
  }

  // Reads "64.33(0.94)" or "64.33".
  double mean_us(std::string_view word) const {
    const std::size_t open = word.find('(');
    const bool closed = open == std::string_view::npos ||
                        (word.ends_with(')') &&
                         find_scaled(word.substr(open + 1, word.size() - open - 2), 0).has_value());
    if (!closed) rows_.expected("MEAN(DEVIATION)", word);
    return rows_.time_us(word.substr(0, open), "the mean");
  }

  TimingRows& rows_;
  Collective collective_ = Collective::kBcast;
  std::vector<Method> methods_;  // of the columns
};

}  // namespace

ResultsFormat importers::ompi_tuning() {
  return {.name = "ompi-tuning",
          .tool = "detail.out of ompi-collectives-tuning",
          .sizes = "as here",
          .time_columns = {"mean"},
          .own_pattern = "{collective}/*",
          .recognises = recognises_ompi_tuning,
          .open = open_reader<OmpiTuningReader>};
}

}  // namespace colltree::profile
