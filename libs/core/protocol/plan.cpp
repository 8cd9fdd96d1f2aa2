// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/plan.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/text.h"

namespace colltree::protocol {

namespace {

constexpr std::string_view kHeader = "colltree-plan 2";
constexpr std::string_view kAtOnce = "at_once ";
constexpr std::string_view kPortable = "portable";

template <typename Number>
Number field(std::string_view text, const std::string& file, std::size_t line) {
  const auto value = parse_number<Number>(text);
  if (!value) throw ParseError(file, line, "a number", text);
  return *value;
}

std::uint64_t ranks_field(std::string_view text, const std::string& file, std::size_t line) {
  constexpr WholeRange kRanks{1, 2147483647};
  const auto value = find_whole(text, kRanks);
  if (!value) throw ParseError(file, line, expected_text(kRanks) + " (ranks)", text);
  return *value;
}

StopRule parse_stop(std::string_view line, const std::string& file, std::size_t number) {
  const auto words = split(line, ' ');
  if (words.size() != 8 || words[0] != "stop")
    throw ParseError(file, number, "the stop rule", line);
  const auto whole = [&](std::size_t word, const WholeRange& range) {
    const auto value = find_whole(words[word], range);
    if (!value) throw ParseError(file, number, expected_text(range), words[word]);
    return static_cast<std::uint32_t>(*value);
  };
  const auto real = [&](std::size_t word, const RealRange& range) {
    const auto value = find_real(words[word], range);
    if (!value) throw ParseError(file, number, expected_text(range), words[word]);
    return *value;
  };
  return {whole(1, kSamplesRange),   whole(2, kSamplesRange),   real(3, kHalfWidthRange),
          real(4, {0, 1}),           real(5, kCellBudgetRange), whole(6, {0, kSamplesRange.most}),
          real(7, kForeignLoadRange)};
}

// The numbers of the ranks' nodes in order of appearance, whatever the nodes are called: 0, 0, 1,
// 1.
std::vector<std::size_t> shape_of(std::span<const int> members, std::span<const int> node_of) {
  std::map<int, std::size_t> number;
  std::vector<std::size_t> shape;
  for (const int rank : members)
    shape.push_back(
        number.emplace(node_of[static_cast<std::size_t>(rank)], number.size()).first->second);
  return shape;
}

// Chooses the members of a communicator among the job's ranks `left`.
std::optional<std::vector<int>> members_among(std::span<const int> left,
                                              std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node) {
  std::vector<int> members;
  if (ranks_per_node == 0) {
    if (left.size() < communicator_size) return std::nullopt;
    members.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(communicator_size));
    return members;
  }
  std::vector<int> nodes;
  for (const int rank : left) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
  const auto places = members_of(nodes, communicator_size, ranks_per_node);
  if (!places) return std::nullopt;
  for (const int place : *places) members.push_back(left[static_cast<std::size_t>(place)]);
  return members;
}

}  // namespace

std::string text_of_plan(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) throw Error(concat(file, ": cannot be read"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string next_plan_text(std::istream& in) {
  std::string text;
  for (std::string line; std::getline(in, line);) {
    text += line + '\n';
    if (line == "end" || line == "more") return text;
  }
  return "";
}

std::strong_ordering PlanCell::operator<=>(const PlanCell& right) const {
  const auto key = [](const PlanCell& cell) {
    const Instance& instance = cell.instance;
    return std::tie(instance.collective, instance.communicator_size, instance.message_size,
                    cell.method, instance.ranks_per_node, cell.portable);
  };
  return key(*this) <=> key(right);
}

std::string cell_line(const PlanCell& cell) {
  const std::string placement =
      cell.instance.ranks_per_node == 0 ? "" : concat("/", cell.instance.ranks_per_node);
  return concat(name(cell.instance.collective), " ", cell.instance.communicator_size, placement,
                " ", cell.instance.message_size, " ", cell.method.name(), " ",
                cell.method.segment_size ? std::to_string(*cell.method.segment_size) : "-",
                cell.portable ? concat(" ", kPortable) : "");
}

PlanCell parse_cell_line(const std::string& line, const std::string& file, std::size_t number) {
  const auto words = split(line, ' ');
  const bool portable = words.size() == 6 && words.back() == kPortable;
  if (words.size() != 5 && !portable) throw ParseError(file, number, "a cell", line);
  const auto ranks = split(words[1], '/');
  if (ranks.size() > 2) throw ParseError(file, number, "RANKS or RANKS/RANKS-PER-NODE", words[1]);
  PlanCell cell{{parse_collective(words[0]), ranks_field(ranks[0], file, number),
                 field<std::uint64_t>(words[2], file, number)},
                parse_method_name(words[3])};
  if (ranks.size() == 2) cell.instance = placed(cell.instance, ranks_field(ranks[1], file, number));
  if (words[4] != "-") cell.method.segment_size = field<std::uint64_t>(words[4], file, number);
  cell.portable = portable;
  return cell;
}

std::uint64_t Plan::ranks() const {
  std::uint64_t ranks = least_ranks;
  for (const PlanCell& cell : cells) ranks = std::max(ranks, cell.instance.communicator_size);
  return ranks;
}

std::string write_plan(const Plan& plan) {
  const StopRule& stop = plan.stop;
  std::string text = concat(kHeader, "\nsource ", plan.source, "\nstop ", stop.min_samples, " ",
                            stop.max_samples, " ", format_double(stop.max_half_width), " ",
                            format_double(stop.confidence), " ", format_double(stop.cell_budget_s),
                            " ", stop.warm_up, " ", format_double(stop.max_foreign_load), "\n");
  if (plan.at_once > 0) text += concat(kAtOnce, format_double(plan.at_once), "\n");
  for (const PlanCell& cell : plan.cells) text += cell_line(cell) + "\n";
  return text + (plan.more ? "more\n" : "end\n");
}

Plan read_plan(const std::string& text, const std::string& file) {
  const auto lines = split(text, '\n');
  if (lines.size() < 4 || lines[0] != kHeader) throw ParseError(file, 1, kHeader, lines[0]);
  constexpr std::string_view kSource = "source ";
  if (!lines[1].starts_with(kSource)) throw ParseError(file, 2, "the source", lines[1]);
  Plan plan{parse_stop(lines[2], file, 3), {}, std::string(lines[1].substr(kSource.size()))};
  std::size_t first = 3;
  if (lines[first].starts_with(kAtOnce)) {
    const auto bound = find_real(lines[first].substr(kAtOnce.size()), kAtOnceRange);
    if (!bound) throw ParseError(file, first + 1, expected_text(kAtOnceRange), lines[first]);
    plan.at_once = *bound;
    ++first;
  }
  for (std::size_t i = first; i < lines.size(); ++i) {
    plan.more = lines[i] == "more";
    if (plan.more || lines[i] == "end") return plan;
    plan.cells.push_back(parse_cell_line(std::string(lines[i]), file, i + 1));
  }
  throw ParseError(file, lines.size(), "end or more", "nothing: the plan is cut off");
}

std::vector<std::uint64_t> possible_ranks_per_node(std::span<const std::uint64_t> asked,
                                                   std::uint64_t communicator_size,
                                                   const JobLayout& layout) {
  std::set<std::uint64_t> possible;
  for (const std::uint64_t number : asked) {
    const std::uint64_t wanted = number == kAllRanksOfNode ? layout.ranks_per_node : number;
    const std::uint64_t ranks = std::min(wanted, communicator_size);
    if (ranks <= layout.ranks_per_node && nodes_for(communicator_size, ranks) <= layout.nodes)
      possible.insert(ranks);
  }
  return {possible.begin(), possible.end()};
}

std::optional<std::vector<int>> members_of(std::span<const int> node_of,
                                           std::uint64_t communicator_size,
                                           std::uint64_t ranks_per_node) {
  std::vector<std::vector<int>> nodes;  // in the order of their first ranks
  std::map<int, std::size_t> number;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto node = number.emplace(node_of[rank], nodes.size()).first->second;
    if (node == nodes.size()) nodes.emplace_back();
    nodes[node].push_back(static_cast<int>(rank));
  }
  std::vector<int> members;
  for (const std::vector<int>& node : nodes) {
    const std::uint64_t wanted = std::min(ranks_per_node, communicator_size - members.size());
    if (node.size() < wanted) {
      if (members.empty()) return std::nullopt;
      continue;
    }
    members.insert(members.end(), node.begin(), node.begin() + static_cast<std::ptrdiff_t>(wanted));
    if (members.size() == communicator_size) return members;
  }
  return std::nullopt;
}

std::vector<std::vector<int>> disjoint_blocks(std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node) {
  std::vector<int> left(node_of.size());
  std::iota(left.begin(), left.end(), 0);
  std::vector<std::vector<int>> blocks;
  while (!left.empty()) {
    const auto members = members_among(left, node_of, communicator_size, ranks_per_node);
    if (!members && blocks.empty()) break;
    if (members &&
        (blocks.empty() || shape_of(*members, node_of) == shape_of(blocks.front(), node_of)))
      blocks.push_back(*members);
    std::set<int> taken;  // and where the first of these nodes has too few ranks, it alone
    for (const int rank : members.value_or(std::vector{left.front()}))
      taken.insert(node_of[static_cast<std::size_t>(rank)]);
    std::erase_if(
        left, [&](int rank) { return taken.contains(node_of[static_cast<std::size_t>(rank)]); });
  }
  return blocks;
}

}  // namespace colltree::protocol
