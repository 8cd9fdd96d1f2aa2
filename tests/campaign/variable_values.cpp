// SPDX-License-Identifier: BSD-3-Clause
// variable_values NAME...: prints "NAME VALUE" for each integer control variable, as the library
// read it from the environment when it started.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  for (int i = 1; i < argc; ++i) {
    int index = 0;
    int count = 0;
    int value = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    if (MPI_T_cvar_get_index(argv[i], &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS ||
        MPI_T_cvar_read(handle, &value) != MPI_SUCCESS)
      return 1;
    std::printf("%s %d\n", argv[i], value);
  }
  return 0;
}
