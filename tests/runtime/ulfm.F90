! SPDX-License-Identifier: BSD-3-Clause
! Rank 0 revokes a communicator on which the others are in a collective, by one of Fortran's interfaces (INTERFACE: 1 mpif.h, 2 mpi,
! 3 mpi_f08): they get the error, and all continue on what MPIX_Comm_shrink makes. Ends with "ok".
program ulfm
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
  use mpi_f08_ext
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
#if INTERFACE == 3
  type(MPI_Comm) :: comm, left
#else
  integer :: comm, left
#endif
  integer, parameter :: n = 1000
  integer :: ierror, rank, ranks, wrong, all_wrong, a(n)

  call MPI_Init(ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Bcast(a, n, MPI_INTEGER, 0, comm, ierror)
  if (rank == 0) call mpix_comm_revoke(comm, ierror)
  wrong = merge(1, 0, ierror /= MPI_SUCCESS)
  call MPI_Bcast(a, n, MPI_INTEGER, 0, comm, ierror)
  if (ierror == MPI_SUCCESS) wrong = wrong + 1
  call mpix_comm_shrink(comm, left, ierror)
  call MPI_Comm_size(left, ranks, ierror)
  a = rank
  call MPI_Bcast(a, n, MPI_INTEGER, ranks - 1, left, ierror)
  if (ierror /= MPI_SUCCESS .or. any(a /= ranks - 1)) wrong = wrong + 1
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, left, ierror)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'ok'
  call MPI_Finalize(ierror)
end program
