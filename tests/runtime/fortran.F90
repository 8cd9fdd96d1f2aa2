! SPDX-License-Identifier: BSD-3-Clause
! The 14 collectives, and two that are passed on, by one of Fortran's interfaces (INTERFACE: 1 mpif.h, 2 mpi, 3 mpi_f08), checked;
! MPI_IN_PLACE where it may stand; with mpi_f08 also without the error code. Ends with "ok".
program fortran_calls
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
#if INTERFACE == 3
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(1)
#define ERROR
#else
  integer :: comm, requests(1)
#define ERROR , ierror
#endif
  integer, parameter :: n = 1000
  integer :: ierror, rank, ranks, i, wrong, all_wrong, total
  integer :: indices(1), completed
  logical :: flag
  integer, allocatable :: a(:), b(:), counts(:), at(:)

  call MPI_Init(ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, ranks, ierror)
  allocate(a(n * ranks), b(n * ranks), counts(ranks), at(ranks))
  wrong = 0
  total = ranks * (ranks - 1) / 2

  a = merge(5, -1, rank == ranks - 1)
  call MPI_Bcast(a, n, MPI_INTEGER, ranks - 1, comm ERROR)
  call check(all(a(1:n) == 5), 'bcast')

  a = rank
  b = -1
  call MPI_Reduce(a, b, n, MPI_INTEGER, MPI_SUM, 0, comm ERROR)
  if (rank == 0) call check(all(b(1:n) == total), 'reduce')
  b = rank
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, 0, comm ERROR)
    call check(all(b(1:n) == total), 'reduce in place')
  else
    call MPI_Reduce(b, a, n, MPI_INTEGER, MPI_SUM, 0, comm ERROR)
  end if
  b = rank
  call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm ERROR)
  call check(all(b(1:n) == total), 'allreduce in place')

  a = rank
  call MPI_Alltoall(a, n, MPI_INTEGER, b, n, MPI_INTEGER, comm ERROR)
  call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'alltoall')
  b = rank
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, b, n, MPI_INTEGER, comm ERROR)
  call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'alltoall in place')

  counts = n
  at = [((i - 1) * n, i = 1, ranks)]
  b = -1
  call MPI_Alltoallv(a, counts, at, MPI_INTEGER, b, counts, at, MPI_INTEGER, comm ERROR)
  call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'alltoallv')
  b = -1
  call MPI_Allgather(a, n, MPI_INTEGER, b, n, MPI_INTEGER, comm ERROR)
  call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'allgather')
  b = rank
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, b, counts, at, MPI_INTEGER, comm ERROR)
  call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'allgatherv in place')

  b = rank
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, b, n, MPI_INTEGER, 0, comm ERROR)
    call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'gather in place')
  else
    call MPI_Gather(a, n, MPI_INTEGER, b, n, MPI_INTEGER, 0, comm ERROR)
  end if
  a = [((i - 1) / n, i = 1, n * ranks)]
  b = -1
  if (rank == 0) then
    call MPI_Scatter(a, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, 0, comm ERROR)
  else
    call MPI_Scatter(a, n, MPI_INTEGER, b, n, MPI_INTEGER, 0, comm ERROR)
    call check(all(b(1:n) == rank), 'scatter')
  end if

  a = rank
  b = -1
  call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, comm ERROR)
  call check(all(b(1:n) == total), 'reduce_scatter')
  b = -1
  call MPI_Reduce_scatter_block(a, b, n, MPI_INTEGER, MPI_SUM, comm ERROR)
  call check(all(b(1:n) == total), 'reduce_scatter_block')
  call MPI_Scan(a, b, n, MPI_INTEGER, MPI_SUM, comm ERROR)
  call check(all(b(1:n) == rank * (rank + 1) / 2), 'scan')
  call MPI_Exscan(a, b, n, MPI_INTEGER, MPI_SUM, comm ERROR)
  if (rank > 0) call check(all(b(1:n) == rank * (rank - 1) / 2), 'exscan')
  call MPI_Barrier(comm ERROR)

  a = rank
  b = -1
  call MPI_Gatherv(a, n, MPI_INTEGER, b, counts, at, MPI_INTEGER, 0, comm ERROR)
  if (rank == 0) call check(all(b == [((i - 1) / n, i = 1, n * ranks)]), 'gatherv')
  b = rank
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE ERROR)
  call check(all(b(1:n) == total), 'iallreduce in place')
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE ERROR)
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  call MPI_Waitany(1, requests, i, MPI_STATUS_IGNORE ERROR)
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  call MPI_Waitsome(1, requests, completed, indices, MPI_STATUSES_IGNORE ERROR)
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  do
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE ERROR)
    if (flag) exit
  end do
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  do
    call MPI_Testall(1, requests, flag, MPI_STATUSES_IGNORE ERROR)
    if (flag) exit
  end do
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  do
    call MPI_Testany(1, requests, i, flag, MPI_STATUS_IGNORE ERROR)
    if (flag) exit
  end do
  call MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, requests(1) ERROR)
  do
    call MPI_Testsome(1, requests, completed, indices, MPI_STATUSES_IGNORE ERROR)
    if (completed == 1) exit
  end do
  call check(requests(1) == MPI_REQUEST_NULL, 'requests')

  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, comm ERROR)
  call MPI_Comm_free(comm, ierror)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'ok'
  call MPI_Finalize(ierror)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    print '(a,i0,2a)', 'rank ', rank, ': ', what
  end subroutine check
end program fortran_calls
