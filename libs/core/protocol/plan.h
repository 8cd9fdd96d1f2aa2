// SPDX-License-Identifier: BSD-3-Clause
// The plan that the coordinator hands to a measuring job is a text file that only colltree writes
// and reads, so that any launcher can start the job.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bounds.h"
#include "coll/method.h"

namespace colltree::protocol {

// The nodes of a job and their ranks; those of its fullest node if nodes differ. Placement is an
// axis of a campaign: it says which ranks of one job make a communicator with a given number of
// ranks on each node (docs/tasks/tuning.md).
struct JobLayout {
  std::uint64_t nodes = 1;
  std::uint64_t ranks_per_node = 1;
};

// The accepted ranks per node.
inline constexpr WholeRange kRanksPerNode{1, 1U << 20U};

// The word `all` of --ranks-per-node: as many as the job's nodes have.
inline constexpr std::uint64_t kAllRanksOfNode = 0;

// How many nodes hold a communicator with `ranks_per_node` ranks on each, the last one perhaps with
// fewer; 0 where that is not given.
inline std::uint64_t nodes_for(std::uint64_t communicator_size, std::uint64_t ranks_per_node) {
  return ranks_per_node == 0 ? 0 : (communicator_size + ranks_per_node - 1) / ranks_per_node;
}

inline Instance placed(Instance instance, const JobLayout& layout) {
  instance.nodes = layout.nodes;
  instance.ranks_per_node = layout.ranks_per_node;
  return instance;
}
// The instance with `ranks_per_node` ranks on each node.
inline Instance placed(const Instance& instance, std::uint64_t ranks_per_node) {
  return placed(instance, {nodes_for(instance.communicator_size, ranks_per_node), ranks_per_node});
}

// The ranks per node among those asked for (kAllRanksOfNode may be among them) that the
// communicator can have in such a job, ascending; a number above the communicator's size puts all
// its ranks on one node.
std::vector<std::uint64_t> possible_ranks_per_node(std::span<const std::uint64_t> asked,
                                                   std::uint64_t communicator_size,
                                                   const JobLayout& layout);

// The ranks of the job that make the communicator, in its order: node by node. `node_of`: by rank
// of the job, any number that is the node's own. Nodes with too few ranks are passed over, but the
// first rank of the job, who reports, is always among them. None where the job has too few nodes
// with that many ranks.
std::optional<std::vector<int>> members_of(std::span<const int> node_of,
                                           std::uint64_t communicator_size,
                                           std::uint64_t ranks_per_node);

// Communicators of the job that can be measured at once, because no two share a node: the first is
// the one that is measured alone (members_of, or the job's first ranks where `ranks_per_node` is
// 0), the others have as many ranks on each of their nodes, in the same order. None where there is
// not even the first.
std::vector<std::vector<int>> disjoint_blocks(std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node);

// The accepted values of a stop rule's fields, on the command line and in a plan.
inline constexpr WholeRange kSamplesRange{1, 1000000};
inline constexpr RealRange kHalfWidthRange{0, 1000};
inline constexpr RealRange kCellBudgetRange{0, 1e6};
inline constexpr RealRange kForeignLoadRange{0, 1};
inline constexpr RealRange kAtOnceRange{0, 10};

// When a cell has enough samples.
struct StopRule {
  std::uint32_t min_samples = 1;
  std::uint32_t max_samples = 1;
  double max_half_width = 0.05;  // of the median's confidence interval, relative to the median
  double confidence = 0.95;
  double cell_budget_s = 1.0;  // no further batch after this time in one cell
  std::uint32_t warm_up = 0;   // calls before the first sample
  // Share of the cores that others may use meanwhile; cells measured under more are measured again.
  // 0 = do not look.
  double max_foreign_load = 0;
  auto operator<=>(const StopRule&) const = default;
};

// One method at one instance.
struct PlanCell {
  // The communicator is the first ranks_per_node ranks of each node (`placed`); 0 = the job's first
  // ranks, wherever they lie.
  Instance instance;
  Method method;
  // In a plan of a library's own algorithms: the method is one of ours, measured beside them.
  bool portable = false;

  bool operator==(const PlanCell&) const = default;
  std::strong_ordering operator<=>(const PlanCell& right) const;  // by method before placement
};

struct Plan {
  StopRule stop;
  std::vector<PlanCell> cells;      // grouped by communicator (size, ranks per node)
  std::string source = "portable";  // of the methods: portable, openmpi or mpich; of these two a
                                    // cell may be portable all the same
  bool more = false;  // the job then waits on its standard input for another plan, which may be
                      // empty: the end
  // How far medians of cells that are measured at once, on communicators without a common
  // node, may differ from those measured alone; 0 = one communicator at a time.
  double at_once = 0;
  std::uint64_t least_ranks = 0;  // that a later plan of the same job may need; not written

  std::uint64_t ranks() const;  // of the job
};

std::string write_plan(const Plan& plan);
Plan read_plan(const std::string& text, const std::string& file);  // throws ParseError
// The text of a file; not by base/file.h, for what reads gzip: a kit is built where zlib is not.
// Throws Error.
std::string text_of_plan(const std::string& file);
// The text of the next plan of a stream of them; "" where it ends before one is complete.
std::string next_plan_text(std::istream& in);

// "bcast 4 1024 binomial 8192": a cell as one line, in plans, reports and messages; with two ranks
// on each node "bcast 4/2 1024 binomial 8192"; of ours among a library's own
// "bcast 4 1024 binomial 8192 portable".
std::string cell_line(const PlanCell& cell);
PlanCell parse_cell_line(const std::string& line, const std::string& file, std::size_t number);

}  // namespace colltree::protocol
