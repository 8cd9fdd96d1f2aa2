// SPDX-License-Identifier: BSD-3-Clause
#include "rank/at_once.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "rank/disturbance.h"
#include "rank/measure_rank.h"

namespace colltree::rank {

namespace {

// A fault on demand, for the tests of the campaign: COLLTREE_TEST_ABORT holds a cell line.
void abort_if_asked(const protocol::PlanCell& cell) {
  const char* wanted = std::getenv("COLLTREE_TEST_ABORT");
  if (wanted != nullptr && protocol::cell_line(cell) == wanted) MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

MeasuredGroup::MeasuredGroup(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                             MPI_Comm world, const RankEnvironment& environment)
    : group_{world}, blocks_(blocks.size()), block_(blocks.size()) {
  const int world_rank = rank_in(world);
  int place = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto mine = std::ranges::find(blocks[i], world_rank);
    if (mine == blocks[i].end()) continue;
    block_ = i;
    place = static_cast<int>(mine - blocks[i].begin());
  }
  const bool is_the_world =
      std::ranges::is_sorted(blocks.front()) && blocks.front().size() == node_of.size();
  split_ = environment.split_all || !is_the_world;
  if (split_)
    MPI_Comm_split(world, has_me() ? static_cast<int>(block_) : MPI_UNDEFINED, place, &group_.comm);
  if (!has_me()) return;
  group_.rank = rank_in(group_.comm);
  std::vector<int> nodes;
  for (const int rank : blocks[block_]) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
  if (!group_.layout.open(nodes.data(), static_cast<int>(nodes.size()))) throw std::bad_alloc();
  environment.conductor->enter(group_.comm);
  if (environment.selector != nullptr) MPI_Comm_set_errhandler(group_.comm, MPI_ERRORS_RETURN);
}

MeasuredGroup::~MeasuredGroup() {
  if (split_ && has_me()) MPI_Comm_free(&group_.comm);
}

void MeasuredGroup::measure(std::span<const protocol::PlanCell> cells,
                            const protocol::StopRule& stop,
                            const RankEnvironment& environment) const {
  const Group& group = group_;
  StretchSteps steps;
  steps.measure = [&](std::size_t i) {
    if (group.rank == 0) environment.report(protocol::CellBegun{cells[i]});
    abort_if_asked(cells[i]);
    return CellRunner(group, cells[i], stop, environment).run();
  };
  steps.report = [&](const protocol::JobReport& report) {
    if (group.rank == 0) environment.report(report);
  };
  if (LoadGuard* guard = environment.load_guard; guard != nullptr && stop.max_foreign_load > 0) {
    guard->start();
    steps.shared_cores =
        guard->shared_cores(group.comm, group.layout.ranks_on(group.layout.node_of(group.rank)));
    steps.look = [&group, guard] { return guard->look(group.comm); };
    steps.wait = [guard] { guard->wait(); };
  }
  measure_in_stretches(cells.size(), stop.max_foreign_load, steps);
}

namespace {

// A kill may lose a round of this many cells; communicators wait for each other after each turn.
constexpr std::size_t kCellsOfRound = 4;
constexpr int kTurns = 2;  // alone and at once

double median_us(const protocol::JobReport& report) {
  const auto* result = std::get_if<protocol::CellResult>(&report);
  if (result == nullptr || result->samples_us.empty()) return 0;
  std::vector<double> sorted = result->samples_us;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

// The texts of all ranks, on rank 0.
std::string gather(const std::string& mine, MPI_Comm world) {
  const int rank = rank_in(world);
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(size_of(world)));
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world);
  std::vector<int> begins(sizes.size());
  int total = 0;
  for (std::size_t i = 0; rank == 0 && i < sizes.size(); ++i) {
    begins[i] = total;
    total += sizes[i];
  }
  std::string gathered(static_cast<std::size_t>(total), ' ');
  MPI_Gatherv(mine.data(), size, MPI_CHAR, gathered.data(), sizes.data(), begins.data(), MPI_CHAR,
              0, world);
  return gathered;
}

class AtOnce {
 public:
  AtOnce(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
         std::span<const protocol::PlanCell> cells, const protocol::Plan& plan, MPI_Comm world,
         const RankEnvironment& environment)
      : blocks_(blocks),
        group_(blocks, node_of, world, environment),
        cells_(cells),
        plan_(plan),
        world_(world),
        environment_(environment),
        rank_(rank_in(world)) {}

  bool agrees() {
    std::vector<TriedCell> tried;
    for (const std::size_t index : std::set<std::size_t>{0, cells_.size() / 2, cells_.size() - 1})
      tried.push_back(try_cell(cells_[index]));
    int verdict = 0;
    if (rank_ == 0) {
      const Agreement agreement = judge(tried, plan_.at_once);
      // Tests of what follows do not depend on the machine: this is "yes" or "no".
      const char* forced = std::getenv("COLLTREE_TEST_AT_ONCE");
      verdict = (forced == nullptr ? agreement.agrees : forced == std::string_view("yes")) ? 1 : 0;
      print_or_abort(concat(blocks_.size(), " communicators of ",
                            cells_.front().instance.communicator_size, " ranks ",
                            verdict != 0 ? "are measured at once" : refusal(), ": ", agreement.text,
                            "\n"));
    }
    MPI_Bcast(&verdict, 1, MPI_INT, 0, world_);
    return verdict != 0;
  }

  void measure_all() {
    const std::size_t round = blocks_.size() * kCellsOfRound;
    for (std::size_t begin = 0; begin < cells_.size(); begin += round)
      measure_round(cells_.subspan(begin, std::min(round, cells_.size() - begin)));
  }

 private:
  std::string refusal() const {
    char percent[32];
    const auto* end = std::to_chars(percent, percent + sizeof percent, 100 * plan_.at_once,
                                    std::chars_format::general, 2)
                          .ptr;
    return concat("are not measured at once, because times may differ by ",
                  std::string_view(percent, static_cast<std::size_t>(end - percent)), " % only");
  }

  TriedCell try_cell(const protocol::PlanCell& cell) const {
    TriedCell tried{
        protocol::cell_line(cell), {}, std::vector<std::vector<double>>(blocks_.size())};
    for (int turn = 0; turn < kTurns; ++turn) {
      tried.alone_us.push_back(medians(cell, 1).front());
      const std::vector<double> together = medians(cell, blocks_.size());
      for (std::size_t i = 0; i < together.size(); ++i) tried.together_us[i].push_back(together[i]);
    }
    return tried;
  }

  // The cell's median on each of the first `count` communicators, all at once, on rank 0.
  std::vector<double> medians(const protocol::PlanCell& cell, std::size_t count) const {
    double mine = 0;
    if (group_.block() < count)
      mine = median_us(CellRunner(group_.group(), cell, plan_.stop, environment_).run());
    wait_for_all();
    std::vector<double> of_ranks(static_cast<std::size_t>(size_of(world_)));
    MPI_Gather(&mine, 1, MPI_DOUBLE, of_ranks.data(), 1, MPI_DOUBLE, 0, world_);
    std::vector<double> of_blocks;
    for (std::size_t i = 0; i < count; ++i)
      of_blocks.push_back(of_ranks[static_cast<std::size_t>(blocks_[i].front())]);
    return of_blocks;
  }

  // Communicator b takes every so-manieth cell from b on.
  void measure_round(std::span<const protocol::PlanCell> cells) const {
    if (rank_ == 0) environment_.report(protocol::CellsBegun{});
    std::vector<protocol::PlanCell> mine;
    for (std::size_t i = group_.block(); group_.has_me() && i < cells.size(); i += blocks_.size())
      mine.push_back(cells[i]);
    std::string lines;
    RankEnvironment collecting = environment_;
    collecting.report = [&lines](const protocol::JobReport& report) {
      if (!std::holds_alternative<protocol::CellBegun>(report))
        lines += protocol::report_line(report);
    };
    if (!mine.empty()) group_.measure(mine, plan_.stop, collecting);
    wait_for_all();
    const std::string every_line = gather(lines, world_);
    if (rank_ != 0) return;
    environment_.report_lines(every_line);
    environment_.report(protocol::Checkpoint{});
  }

  // Takes no cores from the ranks that still measure.
  void wait_for_all() const {
    if (environment_.leave_idle) environment_.leave_idle(world_);
  }

  std::span<const std::vector<int>> blocks_;
  MeasuredGroup group_;
  std::span<const protocol::PlanCell> cells_;
  const protocol::Plan& plan_;
  MPI_Comm world_;
  const RankEnvironment& environment_;
  int rank_;
};

// The verdicts of this job by communicator size and placement, so that later rounds of an adaptive
// campaign do not try again.
std::map<std::pair<std::uint64_t, std::uint64_t>, bool>& verdicts() {
  static std::map<std::pair<std::uint64_t, std::uint64_t>, bool> known;
  return known;
}

}  // namespace

bool measure_at_once(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                     std::span<const protocol::PlanCell> cells, const protocol::Plan& plan,
                     MPI_Comm world, const RankEnvironment& environment) {
  const std::pair key(cells.front().instance.communicator_size,
                      cells.front().instance.ranks_per_node);
  const auto known = verdicts().find(key);
  if (known != verdicts().end() && !known->second) return false;
  AtOnce communicators(blocks, node_of, cells, plan, world, environment);
  if (known == verdicts().end()) verdicts()[key] = communicators.agrees();
  if (!verdicts()[key]) return false;
  communicators.measure_all();
  return true;
}

}  // namespace colltree::rank
