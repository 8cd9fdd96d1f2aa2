// SPDX-License-Identifier: BSD-3-Clause
// In front of the library's MPI_Bcast, by LD_PRELOAD: a message of up to COLLTREE_TEST_SLOW_UP_TO
// bytes takes as long as a hundred (large ones: as fifteen). Where MPI_T says that an algorithm of
// MPICH is forced the call stays as it is: only its own choice is slow.
#include <mpi.h>

#include <cstdlib>

namespace {

#ifdef MPICH

bool is_forced(const char* variable) {
  int provided = 0;
  int index = 0;
  int count = 0;
  int value = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  // Never finalized: MPICH 4.0 would end MPI_T for the measuring program, too.
  static const int code = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (code != MPI_SUCCESS) return false;
  if (MPI_T_cvar_get_index(variable, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
  }
  return value != 0;
}

#else

bool is_forced(const char*) { return false; }

#endif

}  // namespace

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  static const char* const most = std::getenv("COLLTREE_TEST_SLOW_UP_TO");
  int size = 0;
  MPI_Type_size(type, &size);
  const long bytes = static_cast<long>(count) * size;
  const bool slow = most != nullptr && bytes <= std::atol(most);
  const int times =
      slow && !is_forced("MPIR_CVAR_BCAST_INTRA_ALGORITHM") ? (bytes > 10000 ? 15 : 100) : 1;
  int code = MPI_SUCCESS;
  for (int i = 0; i < times; ++i) code = PMPI_Bcast(buffer, count, type, root, comm);
  return code;
}
