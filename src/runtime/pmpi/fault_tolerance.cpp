// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/fault_tolerance.h"

namespace colltree {

#ifdef COLLTREE_HAS_ULFM

bool is_fault_tolerant() noexcept {
  int* is_on = nullptr;
  int found = 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &is_on, &found) == MPI_SUCCESS && found != 0 &&
         *is_on != 0;
}

void revoke(MPI_Comm comm) noexcept { PMPIX_Comm_revoke(comm); }

bool agree_in_spite_of_failures(MPI_Comm comm, bool yes) noexcept {
  int all = yes ? 1 : 0;
  PMPIX_Comm_agree(comm, &all);  // an error tells of failures; the answer is the same everywhere
  return all != 0;
}

int explain_failure_on(MPI_Comm comm, int error) noexcept {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(error, &error_class);
  if (error_class != MPI_ERR_IN_STATUS) return error;
  int is_revoked = 0;
  PMPIX_Comm_is_revoked(comm, &is_revoked);
  if (is_revoked != 0) return MPIX_ERR_REVOKED;
  MPI_Group failed = MPI_GROUP_NULL;
  int size = 0;
  if (PMPIX_Comm_get_failed(comm, &failed) != MPI_SUCCESS) return error;
  PMPI_Group_size(failed, &size);
  PMPI_Group_free(&failed);
  return size > 0 ? MPIX_ERR_PROC_FAILED : error;
}

#else

bool is_fault_tolerant() noexcept { return false; }
void revoke(MPI_Comm) noexcept {}
bool agree_in_spite_of_failures(MPI_Comm, bool yes) noexcept { return yes; }
int explain_failure_on(MPI_Comm, int error) noexcept { return error; }

#endif

}  // namespace colltree
