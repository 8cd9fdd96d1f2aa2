// SPDX-License-Identifier: BSD-3-Clause
// The functions of mpi_f08 that take no buffer: under MPICH and libraries after it they call PMPI_,
// whereas the others, mpif.h and `use mpi` call MPI_ and so pass by c_functions.cpp.
#include <mpi.h>

// The standard's ABI has no MPI_Comm_f2c; there the first collective on MPI_COMM_WORLD begins the
// job.
#if !defined(OPEN_MPI) && !defined(MPI_ABI)

#include <dlfcn.h>

#include "runtime/loaded_library.h"
#include "runtime/requests.h"

using Fint = MPI_Fint;

#define COLLTREE_LIST(...) __VA_ARGS__
// `error` may be left out in Fortran. Handles of another library are passed on to its function.
#define COLLTREE_F08_BODY(call) \
  const int rc = call;          \
  if (error != nullptr) *error = rc;
#define COLLTREE_F08_START(name, parameters, call) \
  void mpi_##name##_f08_ parameters { COLLTREE_F08_BODY(call) }
#define COLLTREE_F08(name, parameters, arguments, call)                          \
  void mpi_##name##_f08_ parameters {                                            \
    if (!colltree::runtime::fits_loaded_library()) {                             \
      using Next = void parameters;                                              \
      void* const next = ::dlsym(RTLD_NEXT, "mpi_" #name "_f08_");               \
      return next == nullptr ? void() : reinterpret_cast<Next*>(next) arguments; \
    }                                                                            \
    COLLTREE_F08_BODY(call)                                                      \
  }

namespace {

int free_by(int (*function)(MPI_Comm*), Fint* comm) {
  MPI_Comm handle = PMPI_Comm_f2c(*comm);
  const int rc = function(&handle);
  if (rc == MPI_SUCCESS) *comm = PMPI_Comm_c2f(handle);
  return rc;
}

// A call that leaves a request, or changes it.
template <typename Call>
int with_request(Fint* request, const Call& call) {
  MPI_Request handle = PMPI_Request_f2c(*request);
  const int rc = call(&handle);
  if (rc == MPI_SUCCESS) *request = PMPI_Request_c2f(handle);
  return rc;
}

}  // namespace

extern "C" {

COLLTREE_F08_START(init, (Fint * error), MPI_Init(nullptr, nullptr))
COLLTREE_F08_START(init_thread, (const Fint* required, Fint* provided, Fint* error),
                   MPI_Init_thread(nullptr, nullptr, *required, provided))
COLLTREE_F08(barrier, (const Fint* comm, Fint* error), (comm, error),
             MPI_Barrier(PMPI_Comm_f2c(*comm)))
COLLTREE_F08(ibarrier, (const Fint* comm, Fint* request, Fint* error), (comm, request, error),
             with_request(request, [&](MPI_Request* handle) {
               return MPI_Ibarrier(PMPI_Comm_f2c(*comm), handle);
             }))
#ifdef COLLTREE_HAS_PERSISTENT
COLLTREE_F08(barrier_init, (const Fint* comm, const Fint* info, Fint* request, Fint* error),
             (comm, info, request, error), with_request(request, [&](MPI_Request* handle) {
               return MPI_Barrier_init(PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), handle);
             }))
#endif
COLLTREE_F08(comm_free, (Fint * comm, Fint* error), (comm, error), free_by(MPI_Comm_free, comm))
COLLTREE_F08(comm_disconnect, (Fint * comm, Fint* error), (comm, error),
             free_by(MPI_Comm_disconnect, comm))
COLLTREE_F08(abort, (const Fint* comm, const Fint* code, Fint* error), (comm, code, error),
             MPI_Abort(PMPI_Comm_f2c(*comm), *code))

}  // extern "C"

namespace colltree::runtime::fortran {

using Request = Fint;
using Status = void;
using Count = const Fint*;

// These are passed on, because the MPI library turns their statuses into those of Fortran.
extern "C" {
#define COLLTREE_WAIT(Name, name, NAME, parameters, arguments, count, list, completed, indices)  \
  void mpi_##name##_f08_(COLLTREE_LIST parameters, Fint* error) {                                \
    using Next = void(COLLTREE_LIST parameters, Fint*);                                          \
    static Next* const next = reinterpret_cast<Next*>(::dlsym(RTLD_NEXT, "mpi_" #name "_f08_")); \
    Fint result = MPI_ERR_INTERN;                                                                \
    const auto call = [&] {                                                                      \
      if (next != nullptr) next(COLLTREE_LIST arguments, &result);                               \
      return result;                                                                             \
    };                                                                                           \
    account_for(count, list, call, [&] { return Completed{completed, indices, 1}; });            \
    if (error != nullptr) *error = result;                                                       \
  }
#include "runtime/waits.def"
}

}  // namespace colltree::runtime::fortran

#endif
