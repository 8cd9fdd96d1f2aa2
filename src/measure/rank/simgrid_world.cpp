// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/simgrid_world.h"

// clang-format off: version.h needs the macros of forward.h
#include <simgrid/forward.h>
#include <simgrid/version.h>
// clang-format on
#include <smpi/smpi.h>

#include <simgrid/s4u.hpp>

// Nothing public tells a rank its world. Internals of SimGrid: only for versions they were tried
// with.
#if SIMGRID_VERSION >= 33200 && SIMGRID_VERSION < 33300

namespace simgrid::smpi {

class ActorExt {
 public:
  static xbt::Extension<s4u::Actor, ActorExt> EXTENSION_ID;
  MPI_Comm comm_world() const;
  void set_replaying(bool value);  // its replay of traces knows no contents
};

}  // namespace simgrid::smpi

namespace simgrid::kernel {

class EngineImpl {
 public:
  static double now_;
};

}  // namespace simgrid::kernel

void colltree::know_only_world() {
  MPI_COMM_WORLD = simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->comm_world();
}

void colltree::carry_content(bool carries) {
  simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->set_replaying(!carries);
}

bool colltree::can_rewind_clock() { return true; }
void colltree::rewind_clock() { simgrid::kernel::EngineImpl::now_ = 0; }

#else

void colltree::know_only_world() {}
void colltree::carry_content(bool) {}
bool colltree::can_rewind_clock() { return false; }
void colltree::rewind_clock() {}

#endif
