// SPDX-License-Identifier: BSD-3-Clause
// aggregated_results_summary.csv, which PICO's plot/summarize_data.py makes of an archive: one row
// a test, columns by name, nanoseconds.
//
//     collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,...,nnodes,tasks_per_node,
//     ...,system,timestamp,test_id,MPI_Op,gpu_awareness,...,mpi_lib,mpi_lib_version,libpico_version
//
// buffer_size is the whole buffer in bytes. default_ompi is the default, binomial_ompi
// ompi:binomial, bine_lat_over ext:bine_lat; bine_..._over_16384 has segments of that size. Buffers
// on GPUs are another system: NAME-gpu.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/csv_fields.h"
#include "base/text.h"
#include "profile/importers/results_file.h"

namespace colltree::profile {

namespace {

constexpr std::string_view kPicoStart = "collective_type,array_dim,buffer_size,algo_name,";

enum PicoColumn { kPicoColl, kPicoCount, kPicoBytes, kPicoAlgo, kPicoNodes, kPicoPpn, kPicoTime };
constexpr std::size_t kPicoColumns = 7;

// The endings of algo_name for the libraries or programs that an algorithm belongs to, and our
// prefixes.
constexpr std::pair<std::string_view, std::string_view> kPicoSources[] = {
    {"_ompi", "ompi:"}, {"_mpich", "mpich:"}, {"_over", "ext:"}};

class PicoReader : public ResultsReader {
 public:
  PicoReader(TimingRows& rows, std::string_view time_column)
      : rows_(rows),
        names_({"collective_type", "array_dim", "buffer_size", "algo_name", "nnodes",
                "tasks_per_node", std::string(time_column)}) {}

  void line(std::string_view line) override {
    if (line.empty()) return;
    auto fields = split_csv(line);
    if (!fields) rows_.wrong("a quote without its end, or in the middle of a field");
    if (columns_.empty()) return header(std::move(*fields));
    if (fields->size() != columns_.size()) {
      rows_.expected(std::to_string(columns_.size()) + " fields", std::to_string(fields->size()));
    }
    row(*fields);
  }

  void end() override {
    if (columns_.empty()) rows_.ends_before(std::string(kPicoStart) + "...");
  }

 private:
  void header(std::vector<std::string> fields) {
    columns_ = std::move(fields);
    for (std::size_t i = 0; i < kPicoColumns; ++i) {
      const auto found = index_of(columns_, names_[i]);
      if (!found) rows_.expected("a column '" + names_[i] + "'", columns_.front());
      at_[i] = *found;
    }
    rows_.set_tool("PICO");
  }

  std::string optional_field(const std::vector<std::string>& fields, std::string_view name) const {
    const auto column = index_of(columns_, name);
    return column && lower(fields[*column]) != "null" ? fields[*column] : "";
  }

  std::uint64_t count(const std::vector<std::string>& fields, PicoColumn column) const {
    return rows_.ranks(fields[at_[column]], names_[column], names_[column]);
  }

  void row(const std::vector<std::string>& fields) {
    FileTiming timing;
    FileFacts& facts = timing.facts;
    facts.collective = find_called_collective(fields[at_[kPicoColl]]);
    if (!facts.collective) rows_.expected("a collective", fields[at_[kPicoColl]]);
    facts.nodes = count(fields, kPicoNodes);
    facts.ranks_per_node = count(fields, kPicoPpn);
    facts.communicator_size = *facts.nodes * *facts.ranks_per_node;
    if (*facts.communicator_size > kMostRanks) rows_.expected("fewer ranks", fields[at_[kPicoPpn]]);
    facts.method = method(fields[at_[kPicoAlgo]]);
    say_system(fields, facts);
    const std::uint64_t elements = rows_.whole(fields[at_[kPicoCount]], "array_dim");
    timing.bytes = rows_.whole(fields[at_[kPicoBytes]], "buffer_size");
    if (elements == 0 || timing.bytes % elements != 0) {
      rows_.expected("buffer_size as a multiple of array_dim", fields[at_[kPicoBytes]]);
    }
    timing.element_bytes = std::max<std::uint64_t>(1, timing.bytes / elements);
    timing.count = SizeCount::kWhole;
    timing.variant = join(
        std::vector{optional_field(fields, "datatype"), optional_field(fields, "MPI_Op")}, " ");
    timing.time_us = rows_.time_us(fields[at_[kPicoTime]], names_[kPicoTime], -3);
    rows_.add(timing);
  }

  void say_system(const std::vector<std::string>& fields, FileFacts& facts) const {
    facts.system = optional_field(fields, "system");
    const bool on_gpu = lower(optional_field(fields, "gpu_awareness")) == "yes";
    if (on_gpu && !facts.system.empty()) facts.system += "-gpu";
    std::string library = lower(optional_field(fields, "mpi_lib"));
    if (library == "ompi") library = "openmpi";
    const std::string version = optional_field(fields, "mpi_lib_version");
    facts.mpi = version.empty() ? library : library + "-" + version;
  }

  Method method(std::string_view name) const {
    if (name.empty()) rows_.expected("algo_name (not empty)", name);
    if (name.starts_with("default")) return library_default();
    const auto [bare, segment] = without_segment(name);
    for (const auto& [ending, prefix] : kPicoSources) {
      if (!bare.ends_with(ending)) continue;
      const std::string_view algorithm = bare.substr(0, bare.size() - ending.size());
      return {.algorithm = std::string(prefix) + std::string(algorithm), .segment_size = segment};
    }
    return {.algorithm = "ext:" + std::string(name)};
  }

  // Divides "bine_over_16384" into "bine_over" and 16384: a number is a segment size only after a
  // source.
  static std::pair<std::string_view, std::optional<std::uint64_t>> without_segment(
      std::string_view name) {
    const std::size_t last = name.rfind('_');
    if (last == std::string_view::npos) return {name, std::nullopt};
    const auto segment = parse_number<std::uint64_t>(name.substr(last + 1));
    if (!segment || *segment > kMostBytes) return {name, std::nullopt};
    const std::string_view bare = name.substr(0, last);
    const bool is_one = std::ranges::any_of(
        kPicoSources, [&](const auto& source) { return bare.ends_with(source.first); });
    return is_one ? std::pair(bare, segment) : std::pair(name, std::optional<std::uint64_t>());
  }

  TimingRows& rows_;
  std::array<std::string, kPicoColumns> names_;
  std::array<std::size_t, kPicoColumns> at_ = {};
  std::vector<std::string> columns_;  // of the file; empty: not read yet
};

}  // namespace

ResultsFormat importers::pico() {
  return {.name = "pico",
          .tool = "aggregated_results_summary.csv of PICO",
          .sizes =
              "of the whole buffer; divided by the ranks but for allreduce, bcast, reduce and "
              "reduce_scatter",
          .time_columns = {"median", "mean", "min", "max"},
          .own_pattern = "",
          .recognises = [](std::string_view line) { return line.starts_with(kPicoStart); },
          .open = open_reader<PicoReader>};
}

}  // namespace colltree::profile
