// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/fault_tolerance.h"

#include "algorithms/types.h"

namespace colltree {

#ifdef COLLTREE_HAS_ULFM

namespace {

void revoke_if_lost(MPI_Comm* comm, int* error, ...) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(*error, &error_class);
  if (error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING)
    revoke(*comm);
}

bool is_revoked(MPI_Comm comm) {
  int yes = 0;
  return PMPIX_Comm_is_revoked(comm, &yes) == MPI_SUCCESS && yes != 0;
}

bool has_lost_ranks(MPI_Comm comm) {
  MPI_Group lost = MPI_GROUP_NULL;
  int size = 0;
  if (PMPIX_Comm_get_failed(comm, &lost) != MPI_SUCCESS) return false;
  PMPI_Group_size(lost, &size);
  PMPI_Group_free(&lost);
  return size > 0;
}

}  // namespace

bool is_fault_tolerant() noexcept {
  int* is_on = nullptr;
  int found = 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &is_on, &found) == MPI_SUCCESS && found != 0 &&
         *is_on != 0;
}

void revoke(MPI_Comm comm) noexcept { PMPIX_Comm_revoke(comm); }

int revoke_on_failure(MPI_Comm own) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  COLLTREE_TRY(PMPI_Comm_create_errhandler(revoke_if_lost, &handler));
  const int rc = PMPI_Comm_set_errhandler(own, handler);
  PMPI_Errhandler_free(&handler);
  return rc;
}

bool agree_in_spite_of_failures(MPI_Comm comm, bool yes) noexcept {
  int all = yes ? 1 : 0;
  PMPIX_Comm_agree(comm, &all);  // an error tells of failures; the answer is the same everywhere
  return all != 0;
}

int explain_failure(MPI_Comm users, MPI_Comm own, int error) noexcept {
  constexpr double kPatience = 1;  // seconds
  if (!is_revoked(own)) return error;
  // The news of the cause may arrive here after the revocation of `own`.
  const double end = PMPI_Wtime() + kPatience;
  while (!is_revoked(users) && !has_lost_ranks(users) && PMPI_Wtime() < end) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
  return is_revoked(users) ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED;
}

#else

bool is_fault_tolerant() noexcept { return false; }
void revoke(MPI_Comm) noexcept {}
int revoke_on_failure(MPI_Comm) noexcept { return MPI_SUCCESS; }
bool agree_in_spite_of_failures(MPI_Comm, bool yes) noexcept { return yes; }
int explain_failure(MPI_Comm, MPI_Comm, int error) noexcept { return error; }

#endif

}  // namespace colltree
