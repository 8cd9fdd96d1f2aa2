// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/job_output.h"

#include <mpi.h>

#include <exception>

#include "base/streams.h"

namespace colltree {

void print_or_abort(const std::string& lines) {
  try {
    with_output([&] { fmt::print("{}", lines); });
  } catch (const std::exception& error) {
    say("colltree-measure: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace colltree
