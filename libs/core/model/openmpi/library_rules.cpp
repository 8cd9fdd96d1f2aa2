// SPDX-License-Identifier: BSD-3-Clause
#include "model/openmpi/library_rules.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree::model {

extern const char* const kOpenmpi41Fixed;  // made from ompi41_fixed.csv by the build

namespace {

// "7" -> "knomial"; a number without a name stays a number.
std::string algorithm_name(Collective collective, std::string_view number) {
  const auto* found =
      find_algorithm(Library::kOpenmpi, collective, parse_number<int>(number).value_or(0));
  return std::string(found == nullptr ? number : found->algorithm);
}

// Benchmarks and profiles spell the names of Open MPI's algorithms differently.
std::string plain_name(std::string_view algorithm) {
  std::string plain = colltree::lower(without_source(algorithm));
  std::ranges::replace(plain, '-', '_');
  static constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      {"basic_linear", "linear"},
      {"linear_synch", "linear_sync"},
      {"in_order", "in_order_binary"},
      {"non_overlapping", "nonoverlapping"},
      {"neighbor_exchange", "neighbor"}};
  for (const auto& [spelling, name] : kSame) {
    if (plain == spelling) return std::string(name);
  }
  return plain;
}

struct Row {
  std::uint64_t ranks_below;  // 0: no limit
  std::uint64_t bytes_below;
  std::string algorithm;
};

std::uint64_t limit(std::string_view text) {
  if (text == "inf") return 0;
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value == 0) throw Error("ompi41_fixed.csv: bad limit " + std::string(text));
  return *value;
}

std::vector<Row> read_rows(std::string_view csv, Collective collective) {
  std::vector<Row> rows;
  for (const std::string_view line : split(csv, '\n')) {
    const std::vector<std::string_view> fields = split(trim(line), ',');
    if (fields[0] != name(collective)) continue;
    for (std::size_t i = 2; i < fields.size(); ++i) {
      const std::size_t colon = fields[i].find(':');
      rows.push_back({limit(fields.at(1)), limit(fields[i].substr(0, colon)),
                      algorithm_name(collective, fields[i].substr(colon + 1))});
    }
  }
  return rows;
}

class FixedRulesBuilder {
 public:
  explicit FixedRulesBuilder(const std::vector<Row>& rows) : rows_(rows) {}

  RuleTree build(Collective collective) {
    ranks(0);
    tree_.roots = {{collective, 0}};
    validate(tree_);
    return std::move(tree_);
  }

 private:
  std::uint32_t leaf(std::size_t row) {
    return append_leaf(tree_, index_of_method(tree_.methods, {rows_[row].algorithm, std::nullopt}));
  }

  // Appends the rows from `first` on: those of its communicator sizes, then the rest.
  std::uint32_t ranks(std::size_t first) {
    const std::uint64_t below = rows_[first].ranks_below;
    std::size_t next = first;
    while (next < rows_.size() && rows_[next].ranks_below == below) ++next;
    if (below == 0 || next == rows_.size()) return bytes(first, next);
    const std::uint32_t test = append_test(tree_, Attribute::kCommunicatorSize, below - 1);
    const std::uint32_t low = bytes(first, next);
    return link_children(tree_, test, low, ranks(next));
  }

  std::uint32_t bytes(std::size_t row, std::size_t end) {
    const std::uint64_t below = rows_[row].bytes_below;
    if (below == 0 || row + 1 == end) return leaf(row);
    const std::uint32_t test = append_test(tree_, Attribute::kMessageSize, below - 1);
    const std::uint32_t low = leaf(row);
    return link_children(tree_, test, low, bytes(row + 1, end));
  }

  const std::vector<Row>& rows_;
  RuleTree tree_;
};

}  // namespace

RuleTree parse_openmpi_rules(std::string_view csv, Collective collective) {
  const std::vector<Row> rows = read_rows(csv, collective);
  if (rows.empty()) throw Error("Open MPI has no fixed rules for " + std::string(name(collective)));
  return FixedRulesBuilder(rows).build(collective);
}

RuleTree openmpi_fixed_rules(Collective collective) {
  return parse_openmpi_rules(kOpenmpi41Fixed, collective);
}

bool has_openmpi_fixed_rules(Collective collective) {
  return !read_rows(kOpenmpi41Fixed, collective).empty();
}

RuleTree with_names_of(RuleTree tree, const std::vector<Method>& methods) {
  for (Method& asked : tree.methods) {
    const auto same = std::ranges::find_if(methods, [&](const Method& method) {
      return !method.segment_size && method.parameters == asked.parameters &&
             plain_name(method.algorithm) == plain_name(asked.algorithm);
    });
    if (same != methods.end()) asked = *same;
  }
  return tree;
}

std::shared_ptr<const Model> openmpi_library_rules(const Timings& timings, const std::string& mpi) {
  if (!mpi.starts_with("openmpi-4.1") || !has_openmpi_fixed_rules(timings.collective)) {
    return nullptr;
  }
  return std::make_shared<Model>(
      rules_model({timings.system, timings.provenance, {timings.collective}, 0},
                  with_names_of(openmpi_fixed_rules(timings.collective), timings.methods)));
}

}  // namespace colltree::model
