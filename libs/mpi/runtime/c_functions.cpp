// SPDX-License-Identifier: BSD-3-Clause
// The functions that a program in C calls. Without a job the arguments reach the MPI library as
// they are, also one that this library was not built for (loaded_library.h).
#include <dlfcn.h>

#include <climits>
#include <cstring>
#include <type_traits>

#include "runtime/communicator.h"
#include "runtime/loaded_library.h"
#include "runtime/messages.h"
#include "runtime/passed.h"
#include "runtime/perform.h"

#define COLLTREE_LIST(...) __VA_ARGS__

namespace colltree::runtime {

namespace {

// The root of a call by its arguments, the last int of them; of no use where it has none.
template <typename... Arguments>
int root_of(const Arguments&... arguments) {
  int root = 0;
  const auto look = [&](const auto& argument) {
    if constexpr (std::is_same_v<decltype(argument), const int&>) root = argument;
  };
  (look(arguments), ...);
  return root;
}

// Finds the function of another library that the program preloads behind this library and that must
// run too; else returns the MPI library's.
template <typename Next>
Next* next_function(const char* name, Next* library) {
  void* next = ::dlsym(RTLD_NEXT, name);
  Dl_info file = {};
  const bool is_usable = next != nullptr && ::dladdr(next, &file) != 0 &&
                         std::strstr(file.dli_fname, "libcolltree-") == nullptr;
  return is_usable ? reinterpret_cast<Next*>(next) : library;
}

}  // namespace

namespace wide {
using MPI_Comm = Handle;
using MPI_Datatype = Handle;
using MPI_Info = Handle;
using MPI_Op = Handle;
}  // namespace wide

// A function that the program knows as `symbol`, where MPI_Comm and its like are `Handle`.
#define COLLTREE_EXPORTED(symbol, parameters) \
  int symbol##_wide parameters asm(#symbol);  \
  int symbol##_wide parameters
#define COLLTREE_WIDE(symbol, ...) with_wide_handles<int(__VA_ARGS__)>(symbol)

// The functions of one operation, by the names of their forms: `c` ends those with large counts.
#define COLLTREE_PASS(Name, c, large, parameters, arguments)                           \
  pass_on({Operation::k##Name, Form::kBlocking, large}, comm,                          \
          why_passed({Operation::k##Name, Form::kBlocking, large}), root_of arguments, \
          [&] { return COLLTREE_WIDE(PMPI_##Name##c, COLLTREE_LIST parameters) arguments; })
#define COLLTREE_PASSED(Name, c, large, parameters, arguments)   \
  COLLTREE_EXPORTED(MPI_##Name##c, parameters) {                 \
    note_caller();                                               \
    return COLLTREE_PASS(Name, c, large, parameters, arguments); \
  }
// A function that leaves a request.
#define COLLTREE_LEAVING(Name, form, large, symbol, parameters, arguments)              \
  COLLTREE_EXPORTED(symbol, (COLLTREE_LIST parameters, MPI_Request * request)) {        \
    note_caller();                                                                      \
    return pass_on(                                                                     \
        {Operation::k##Name, Form::form, large}, comm, why_passed({{}, Form::form}), 0, \
        [&] {                                                                           \
          return COLLTREE_WIDE(P##symbol, COLLTREE_LIST parameters, MPI_Request*)(      \
              COLLTREE_LIST arguments, request);                                        \
        },                                                                              \
        request);                                                                       \
  }
#define COLLTREE_NONBLOCKING(Name, name, c, large, parameters, arguments) \
  COLLTREE_LEAVING(Name, kNonblocking, large, MPI_I##name##c, parameters, arguments)
#define COLLTREE_PERSISTENT(X, Name, c, large, parameters, arguments)   \
  COLLTREE_LEAVING(Name, kPersistent, large, MPI##X##_##Name##_init##c, \
                   (COLLTREE_LIST parameters, MPI_Info info), (COLLTREE_LIST arguments, info))

namespace small {

using namespace wide;
using Count = int;
using Offset = int;

#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, ...)               \
  COLLTREE_EXPORTED(MPI_##Name, parameters) {                                                    \
    note_caller();                                                                               \
    return is_without_job(comm) ? COLLTREE_WIDE(PMPI_##Name, COLLTREE_LIST parameters) arguments \
                                : entry::Name##_in_job arguments;                                \
  }                                                                                              \
  COLLTREE_NONBLOCKING(Name, name, , false, parameters, arguments)
#define COLLTREE_UNDECIDED(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PASSED(Name, , false, parameters, arguments)                     \
  COLLTREE_NONBLOCKING(Name, name, , false, parameters, arguments)
#include "coll/collectives.def"

#ifdef COLLTREE_HAS_PERSISTENT
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PERSISTENT(, Name, , false, parameters, arguments)
#include "coll/collectives.def"
#endif
#ifdef COLLTREE_HAS_PERSISTENT_X
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PERSISTENT(X, Name, , false, parameters, arguments)
#include "coll/collectives.def"
#endif

}  // namespace small

#ifdef COLLTREE_HAS_LARGE_COUNTS
namespace large {

// A count as the program passes it; as an int -1 where it is none.
struct Count {
  MPI_Count value;

  operator int() const noexcept {
    return value < 0 || value > INT_MAX ? -1 : static_cast<int>(value);
  }
};

const MPI_Count* values_of(const Count* counts) {
  return counts == nullptr ? nullptr : &counts->value;
}

// Performs a call whose counts are int at every rank; false, at all ranks: it is not such a call.
template <typename Make, typename... Arguments>
bool perform_narrowed(Make* make, MPI_Comm comm, int* rc, Arguments... arguments) {
  const algorithms::CollectiveCall call = make(arguments...);
  if (!has_small_message(call, comm)) return false;
  *rc = perform(call, comm);
  return true;
}

bool perform_narrowed(decltype(algorithms::allgatherv_call)* make, MPI_Comm comm, int* rc,
                      const void* send, Count send_count, Handle send_type, void* receive,
                      const Count* counts, const MPI_Aint* displacements, Handle type) {
  return perform_large(make(send, send_count, send_type, receive, nullptr, nullptr, type), {},
                       {values_of(counts), displacements}, comm, rc);
}

bool perform_narrowed(decltype(algorithms::alltoallv_call)* make, MPI_Comm comm, int* rc,
                      const void* send, const Count* send_counts,
                      const MPI_Aint* send_displacements, Handle send_type, void* receive,
                      const Count* counts, const MPI_Aint* displacements, Handle type) {
  return perform_large(make(send, nullptr, nullptr, send_type, receive, nullptr, nullptr, type),
                       {values_of(send_counts), send_displacements},
                       {values_of(counts), displacements}, comm, rc);
}

bool perform_narrowed(decltype(algorithms::reduce_scatter_call)* make, MPI_Comm comm, int* rc,
                      const void* send, void* receive, const Count* counts, Handle type,
                      Handle op) {
  return perform_large(make(send, receive, nullptr, type, op), {}, {values_of(counts)}, comm, rc);
}

using namespace wide;
using Offset = MPI_Aint;

#define COLLTREE_LARGE
#define COLLTREE_UNDECIDED(Name, name, NAME, n, parameters, arguments, ...) \
  COLLTREE_PASSED(Name, _c, true, parameters, arguments)                    \
  COLLTREE_NONBLOCKING(Name, name, _c, true, parameters, arguments)         \
  COLLTREE_PERSISTENT(, Name, _c, true, parameters, arguments)
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, ...) \
  COLLTREE_EXPORTED(MPI_##Name##_c, parameters) {                                  \
    int rc = MPI_SUCCESS;                                                          \
    note_caller();                                                                 \
    if (!is_without_job(comm) &&                                                   \
        perform_narrowed(algorithms::name##_call, comm, &rc, COLLTREE_LIST call))  \
      return rc;                                                                   \
    return COLLTREE_PASS(Name, _c, true, parameters, arguments);                   \
  }                                                                                \
  COLLTREE_NONBLOCKING(Name, name, _c, true, parameters, arguments)                \
  COLLTREE_PERSISTENT(, Name, _c, true, parameters, arguments)
#include "coll/collectives.def"
#undef COLLTREE_LARGE

}  // namespace large
#endif

namespace wide {

COLLTREE_EXPORTED(MPI_Abort, (MPI_Comm comm, int code)) {
  abort_job();
  return COLLTREE_WIDE(PMPI_Abort, MPI_Comm, int)(comm, code);
}

}  // namespace wide

}  // namespace colltree::runtime

namespace colltree::runtime::c {

using Request = MPI_Request;
using Status = MPI_Status;
using Count = int;

extern "C" {
#define COLLTREE_WAIT(Name, name, NAME, parameters, arguments, count, list, completed, indices) \
  int MPI_##Name parameters {                                                                   \
    static auto* const next = next_function("MPI_" #Name, PMPI_##Name);                         \
    return account_for(                                                                         \
        count, list, [&] { return next arguments; },                                            \
        [&] {                                                                                   \
          return Completed{completed, indices};                                                 \
        });                                                                                     \
  }
#include "runtime/waits.def"
}

}  // namespace colltree::runtime::c

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int rc = colltree::runtime::next_function("MPI_Init", PMPI_Init)(argc, argv);
  if (rc == MPI_SUCCESS) colltree::runtime::begin_job();
  return rc;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int rc = colltree::runtime::next_function("MPI_Init_thread", PMPI_Init_thread)(
      argc, argv, required, provided);
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

}  // extern "C"
