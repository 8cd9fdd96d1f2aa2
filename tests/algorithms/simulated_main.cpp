// SPDX-License-Identifier: BSD-3-Clause
// A test job inside the simulator: PROGRAM PLATFORM RANKS [STRIDE]. All ranks in this process.
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <vector>

#include "checker.h"

namespace sg4 = simgrid::s4u;
using colltree::test::Checker;

void smpi_init_options();  // exported by libsimgrid, declared in no public header

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int ranks = std::atoi(argv[2]);
  const unsigned long stride = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  smpi_init_options();
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("smpi/simulate-computation:no");
  sg4::Engine::set_config("contexts/stack-size:1024");
  engine.load_platform(argv[1]);
  SMPI_init();
  SMPI_app_instance_register("test", nullptr, ranks);
  std::vector<Checker> checkers;
  for (int rank = 0; rank < ranks; ++rank) checkers.emplace_back(rank, stride);
  int finished = 0;
  const auto hosts = engine.get_all_hosts();
  for (int rank = 0; rank < ranks; ++rank) {
    sg4::ActorPtr actor = sg4::Actor::init("rank", hosts[rank % hosts.size()]);
    actor->set_property("instance_id", "test");
    actor->set_property("rank", std::to_string(rank));
    actor->start([&checkers, &finished, rank] {
      MPI_Init(nullptr, nullptr);
      colltree::test::run_tests(checkers[rank]);
      MPI_Finalize();
      ++finished;
    });
  }
  engine.run();
  SMPI_finalize();
  if (finished != ranks) return 1;  // SimGrid returns all the same when ranks wait for ever
  long checks = 0;
  for (const Checker& checker : checkers) {
    if (checker.failures() != 0 || checker.checks() == 0) return 1;
    checks += checker.checks();
  }
  std::printf("ok %ld checks\n", checks);
  return 0;
}
