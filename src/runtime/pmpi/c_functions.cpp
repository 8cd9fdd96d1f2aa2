// SPDX-License-Identifier: BSD-3-Clause
// What a program in C calls.
#include "runtime/pmpi/communicator.h"
#include "runtime/pmpi/messages.h"
#include "runtime/pmpi/passed.h"
#include "runtime/pmpi/perform.h"

#define COLLTREE_LIST(...) __VA_ARGS__

namespace colltree::runtime {

namespace {

int started(Function function, MPI_Comm comm, int rc) {
  if (rc == MPI_SUCCESS && is_recording()) count_started(function, comm);
  return rc;
}

int made(Function function, MPI_Comm comm, const MPI_Request* request, int rc) {
  if (rc == MPI_SUCCESS && is_recording()) remember_request(function, comm, *request);
  return rc;
}

}  // namespace

// The functions of one operation, by the names of their forms: `c` ends those with large counts.
#define COLLTREE_PASSED(Name, c, large, parameters, arguments)                \
  int MPI_##Name##c parameters {                                              \
    constexpr Function kFunction{Operation::k##Name, Form::kBlocking, large}; \
    return pass_on(kFunction, comm, why_passed(kFunction),                    \
                   [&] { return PMPI_##Name##c arguments; });                 \
  }
#define COLLTREE_NONBLOCKING(Name, name, c, large, parameters, arguments) \
  int MPI_I##name##c(COLLTREE_LIST parameters, MPI_Request* request) {    \
    return started({Operation::k##Name, Form::kNonblocking, large}, comm, \
                   PMPI_I##name##c(COLLTREE_LIST arguments, request));    \
  }
#define COLLTREE_PERSISTENT(X, Name, c, large, parameters, arguments)                            \
  int MPI##X##_##Name##_init##c(COLLTREE_LIST parameters, MPI_Info info, MPI_Request* request) { \
    return made({Operation::k##Name, Form::kPersistent, large}, comm, request,                   \
                PMPI##X##_##Name##_init##c(COLLTREE_LIST arguments, info, request));             \
  }

namespace small {

using Count = int;
using Offset = int;

extern "C" {

#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call) \
  int MPI_##Name parameters { return entry::Name arguments; }                 \
  COLLTREE_NONBLOCKING(Name, name, , false, parameters, arguments)
#define COLLTREE_UNDECIDED(Name, name, NAME, n, parameters, arguments) \
  COLLTREE_PASSED(Name, , false, parameters, arguments)                \
  COLLTREE_NONBLOCKING(Name, name, , false, parameters, arguments)
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE
#undef COLLTREE_UNDECIDED

#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#ifdef COLLTREE_HAS_PERSISTENT
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PERSISTENT(, Name, , false, parameters, arguments)
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE
#endif
#ifdef COLLTREE_HAS_PERSISTENT_X
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PERSISTENT(X, Name, , false, parameters, arguments)
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE
#endif
#undef COLLTREE_UNDECIDED

}  // extern "C"

}  // namespace small

#ifdef COLLTREE_HAS_LARGE_COUNTS
namespace large {

using Count = MPI_Count;
using Offset = MPI_Aint;

extern "C" {

#define COLLTREE_LARGE
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PASSED(Name, _c, true, parameters, arguments)                     \
  COLLTREE_NONBLOCKING(Name, name, _c, true, parameters, arguments)          \
  COLLTREE_PERSISTENT(, Name, _c, true, parameters, arguments)
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE
#undef COLLTREE_UNDECIDED
#undef COLLTREE_LARGE

}  // extern "C"

}  // namespace large
#endif

}  // namespace colltree::runtime

extern "C" {

int MPI_Start(MPI_Request* request) {
  const int rc = PMPI_Start(request);
  if (rc == MPI_SUCCESS && colltree::runtime::is_recording())
    colltree::runtime::count_start(*request);
  return rc;
}

int MPI_Startall(int count, MPI_Request requests[]) {
  const int rc = PMPI_Startall(count, requests);
  for (int i = 0; rc == MPI_SUCCESS && i < count && colltree::runtime::is_recording(); ++i)
    colltree::runtime::count_start(requests[i]);
  return rc;
}

int MPI_Request_free(MPI_Request* request) {
  // Before it is free: another thread may get the same handle at once.
  if (request != nullptr && colltree::runtime::is_recording())
    colltree::runtime::forget_request(*request);
  return PMPI_Request_free(request);
}

int MPI_Init(int* argc, char*** argv) {
  const int rc = PMPI_Init(argc, argv);
  if (rc == MPI_SUCCESS) colltree::runtime::begin_job();
  return rc;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int rc = PMPI_Init_thread(argc, argv, required, provided);
  if (rc == MPI_SUCCESS) colltree::runtime::begin_job();
  return rc;
}

int MPI_Comm_free(MPI_Comm* comm) { return colltree::runtime::entry::Comm_free(comm); }

int MPI_Comm_disconnect(MPI_Comm* comm) { return colltree::runtime::entry::Comm_disconnect(comm); }

#ifdef COLLTREE_HAS_ULFM
int MPIX_Comm_revoke(MPI_Comm comm) {
  const int rc = PMPIX_Comm_revoke(comm);
  if (rc == MPI_SUCCESS && colltree::runtime::job != nullptr) colltree::runtime::revoke_own(comm);
  return rc;
}
#endif

int MPI_Abort(MPI_Comm comm, int code) {
  colltree::runtime::abort_job();
  return PMPI_Abort(comm, code);
}

}  // extern "C"
