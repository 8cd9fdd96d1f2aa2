// SPDX-License-Identifier: BSD-3-Clause
// A test job under mpirun: PROGRAM [STRIDE [ROWS]]. It makes one check in STRIDE of each kind, of
// the algorithms whose names begin with ROWS. The last line is "ok N checks" if and only if every
// rank passed and MPI_Finalize returned; tests/run_job.sh insists on it.
#include <cstdlib>

#include "checker.h"

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  colltree::test::Checker checker(rank, argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1,
                                  argc > 2 ? argv[2] : "");
  colltree::test::run_tests(checker);
  const long mine[2] = {checker.checks(), checker.failures()};
  long all[2] = {0, 0};
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (all[1] != 0) return 1;
  if (rank == 0) std::printf("ok %ld checks\n", all[0]);
  return 0;
}
