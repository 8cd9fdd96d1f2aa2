// SPDX-License-Identifier: BSD-3-Clause
// colltree-simulate PLATFORM PLAN JOBS: measures a plan on a simulated cluster, inside this process
// and without smpirun. Each instance (collective, communicator size, message size) starts at
// simulated time zero, in a child process: results do not depend on what ran before, so a campaign
// that was killed continues with the same numbers, a crash costs one cell, and JOBS children run at
// once. Small instances follow each other in one child.
// clang-format off: version.h needs the macros of forward.h
#include <simgrid/forward.h>
#include <simgrid/version.h>
// clang-format on

#include <fmt/core.h>
#include <smpi/smpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include "base/bounds.h"
#include "base/error.h"
#include "base/input.h"
#include "base/streams.h"
#include "rank/built_platform.h"
#include "rank/measure_rank.h"
#include "rank/simulated_environment.h"
#include "rank/simulation_pool.h"

namespace colltree::rank {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kMostPayloadBytes = std::uint64_t{128} << 20U;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written <= 0) ::_exit(1);  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The ranks per node of a cell's communicator as asked for, else the hosts in their order.
std::uint64_t ranks_per_node(const protocol::PlanCell& cell) {
  return cell.instance.ranks_per_node != 0 ? cell.instance.ranks_per_node : hosts_per_node();
}

// The simulated cluster: all hosts of a SimGrid file, or the part that a plan uses of a cluster
// that is built here (built_platform.h).
class Cluster {
 public:
  Cluster(s4u::Engine& engine, HostNumbers& numbers)
      : engine_(engine), numbers_(numbers), shape_(cluster_shape()) {}

  std::uint64_t hosts() const { return shape_ ? shape_->hosts() : engine_.get_host_count(); }
  // The place of a rank among hosts(), or among nodes of `node` hosts.
  static std::uint64_t place(const protocol::PlanCell& cell, std::uint64_t rank,
                             std::uint64_t node = hosts_per_node()) {
    const std::uint64_t ranks = ranks_per_node(cell);
    return rank / ranks * node + rank % ranks;
  }
  s4u::Host* host_of(const protocol::PlanCell& cell, std::uint64_t rank) const {
    return hosts_[place(cell, rank, shape_ ? cores_ : hosts_per_node())];
  }

  // Builds what the plan's cells need and does once what does not depend on the instance: else it
  // takes half of a small instance's time. Not here where plans follow that may need more.
  void prepare_for(const protocol::Plan& plan) {
    if (!ready_ && !(shape_ && plan.more)) prepare(plan);
  }
  // Call it in a child.
  void prepare(const protocol::Plan& plan) {
    if (ready_) return;
    if (shape_) {
      std::uint64_t nodes = 1;
      for (const protocol::PlanCell& cell : plan.cells) {
        const std::uint64_t ranks = ranks_per_node(cell);
        cores_ = std::max(cores_, std::min(ranks, cell.instance.communicator_size));
        nodes = std::max(nodes, (cell.instance.communicator_size + ranks - 1) / ranks);
      }
      hosts_ = build_cluster(*shape_, nodes, cores_);
    }
    if (!shape_) hosts_ = engine_.get_all_hosts();
    numbers_.make_room();
    engine_.seal_platform();
    SMPI_init();
    ready_ = true;
  }

 private:
  s4u::Engine& engine_;
  HostNumbers& numbers_;
  std::optional<ClusterShape> shape_;
  std::vector<s4u::Host*> hosts_;
  std::uint64_t cores_ = 1;  // of a node, that are made
  bool ready_ = false;
};

// Small enough for any machine and every core, large enough that most cells' results are checked.
// COLLTREE_TEST_PAYLOAD sets another bound, for the tests.
std::uint64_t most_payload_bytes() {
  const char* text = std::getenv("COLLTREE_TEST_PAYLOAD");
  if (text != nullptr) return parse_whole(text, {1, kMostPayloadBytes}, "COLLTREE_TEST_PAYLOAD");
  return kMostPayloadBytes;
}

void simulate_rank(const protocol::Plan& plan, SimulatedStart& start, int out) {
  MPI_Init(nullptr, nullptr);
  know_only_world();
  SimulatedConductor conductor(start);
  RankEnvironment environment = simulated_rank(conductor, ranks_per_node(plan.cells.front()));
  environment.report = [&start, out](const protocol::JobReport& report) {
    const auto* result = std::get_if<protocol::CellResult>(&report);
    start.failed = start.failed || (result != nullptr && result->failure);
    write_all(out, protocol::report_line(report));
  };
  // A split costs as many messages as ranks squared: SMPI's small bcast asks all for their nodes.
  environment.split_all = false;
  environment.most_payload_bytes = most_payload_bytes();
  environment.carry_content = carry_content;
  report_start(MPI_COMM_WORLD, environment);
  measure(plan, MPI_COMM_WORLD, environment);
  ++start.finished_ranks;
  MPI_Op_free(&environment.sum);
  MPI_Op_free(&environment.exclusive_or);
  MPI_Finalize();
}

// Cells of one instance, simulated from time zero in a process that may have simulated others.
// True if the next one may follow here: not after a cell that failed, which may have left anything.
bool simulate_instance(s4u::Engine& engine, const Cluster& cluster, const protocol::Plan& plan,
                       const std::string& name, int out) {
  const auto ranks = static_cast<int>(plan.cells.front().instance.communicator_size);
  SMPI_app_instance_register(name.c_str(), nullptr, ranks);
  SimulatedStart start;
  for (int rank = 0; rank < ranks; ++rank) {
    s4u::Host* host = cluster.host_of(plan.cells.front(), static_cast<std::uint64_t>(rank));
    auto actor = s4u::Actor::init(fmt::format("rank-{}", rank), host);
    actor->set_property("instance_id", name);
    actor->set_property("rank", std::to_string(rank));
    actor->start([&plan, &start, out] { simulate_rank(plan, start, out); });
  }
  engine.run();
  // SimGrid returns all the same when ranks wait for ever or called MPI_Abort.
  if (start.finished_ranks != ranks) ::_exit(0);
  write_all(out, protocol::report_line(protocol::JobDone{}));
  return !start.failed;
}

std::size_t end_of_instance(const std::vector<protocol::PlanCell>& cells, std::size_t begin) {
  const Instance instance = cells[begin].instance;
  while (begin < cells.size() && cells[begin].instance == instance) ++begin;
  return begin;
}

// Runs in a child: simulates instances one after the other and exits.
[[noreturn]] void simulate(s4u::Engine& engine, Cluster& cluster, const protocol::Plan& plan,
                           int out) {
  cluster.prepare(plan);
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < plan.cells.size(); begin = end) {
    if (begin > 0) rewind_clock();
    end = end_of_instance(plan.cells, begin);
    if (!simulate_instance(engine, cluster, part_of(plan, begin, end),
                           fmt::format("instance-{}", begin), out))
      break;
  }
  ::_exit(0);
}

void check_hosts(const Cluster& cluster, const protocol::Plan& plan, const char* platform) {
  const std::uint64_t hosts = cluster.hosts();
  for (const protocol::PlanCell& cell : plan.cells) {
    if (cell.instance.communicator_size > hosts) {
      throw Error(fmt::format(
          "{}: has {} hosts, fewer than the {} ranks asked for; use smaller communicator sizes",
          platform, hosts, cell.instance.communicator_size));
    }
    if (cell.instance.ranks_per_node > hosts_per_node() ||
        cluster.place(cell, cell.instance.communicator_size - 1) >= hosts) {
      throw Error(fmt::format(
          "{}: {} ranks with {} on each node were asked for; it has {} hosts, {} a node "
          "(colltree/ranks_per_node)",
          platform, cell.instance.communicator_size, cell.instance.ranks_per_node, hosts,
          hosts_per_node()));
    }
  }
}

// A child gets instances that take a moment together: a process costs more than a small instance.
void simulate_all(const protocol::Plan& plan, SimulationPool& pool) {
  constexpr double kMoment = 20000;
  // Roughly how long a cell takes, in units of a few microseconds.
  const auto effort = [](const protocol::PlanCell& cell) {
    const auto ranks = static_cast<double>(cell.instance.communicator_size);
    return ranks * ranks * (1 + static_cast<double>(cell.instance.message_size) / 1024);
  };
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < plan.cells.size(); begin = end) {
    double total = 0;
    do {
      const std::size_t next = end_of_instance(plan.cells, end);
      for (; end < next; ++end) total += effort(plan.cells[end]);
    } while (can_rewind_clock() && total < kMoment && end < plan.cells.size());
    pool.add(part_of(plan, begin, end));
  }
  pool.drain();
}

void print_library() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  fmt::print("SMPI Version {}.{}\n", major, minor);
}

void run(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--library") return print_library();
  const bool counts = argc == 3 && std::string_view(argv[1]) == "--hosts";
  if (argc != 4 && !counts)
    throw Error("usage: colltree-simulate PLATFORM PLAN JOBS (started by `colltree measure`)");
  protocol::Plan plan =
      counts ? protocol::Plan() : protocol::read_plan(read_file(argv[2]), argv[2]);
  smpi_init_options();
  // Open MPI's choice, pairwise, is ring in SMPI; SMPI's port of the choice takes its own pairwise,
  // which stops at ranks that are no power of two.
  simgrid::config::set_default<std::string>("smpi/alltoallv", "ring");
  int no_arguments = 2;
  char quiet[] = "--log=root.thres:critical";
  char* arguments[] = {argv[0], quiet, nullptr};
  s4u::Engine engine(&no_arguments, arguments);
  HostNumbers numbers;
  engine.load_platform(counts ? argv[2] : argv[1]);
  Cluster cluster(engine, numbers);
  if (counts) return fmt::print("{}\n", cluster.hosts());
  load_simulated_cost();
  SimulationPool pool(
      parse_whole(argv[3], {1, 4096}, "JOBS"),
      [&](const protocol::Plan& some, int out) { simulate(engine, cluster, some, out); });
  for (;;) {
    check_hosts(cluster, plan, argv[1]);
    cluster.prepare_for(plan);
    simulate_all(plan, pool);
    if (!plan.more) break;
    pool.say(protocol::PlanDone{});
    finish_output();
    const std::string text = protocol::next_plan_text(std::cin);
    if (text.empty()) break;
    plan = protocol::read_plan(text, "standard input");
  }
  pool.say(protocol::JobDone{});
}

}  // namespace
}  // namespace colltree::rank

// SMPI brackets every MPI call with CPU timers, to charge the application's own computation. Our
// platforms switch that off (smpi/simulate-computation:no), but 3.32 reads the clock all the same:
// a third of the time of a campaign. These take the place of SimGrid's functions of the same name,
// in this program only; results are the same to the last bit (tests/measure). Internals of SimGrid:
// only for versions it was tried with.
#if SIMGRID_VERSION >= 33200 && SIMGRID_VERSION < 33300

extern "C" {

void xbt_os_threadtimer_start(void*) {}
void xbt_os_threadtimer_stop(void*) {}
void xbt_os_threadtimer_resume(void*) {}

}  // extern "C"

#endif

int main(int argc, char** argv) {
  colltree::prepare_streams();
  try {
    colltree::with_output([&] { colltree::rank::run(argc, argv); });
  } catch (const std::exception& error) {
    colltree::say(fmt::format("{}\n", error.what()));
    // 1: the user has to change the request; the coordinator adds a remedy to anything else.
    return dynamic_cast<const colltree::Error*>(&error) != nullptr ? 1 : 3;
  }
  return 0;
}
