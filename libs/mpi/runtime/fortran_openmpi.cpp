// SPDX-License-Identifier: BSD-3-Clause
// The functions that a program in Fortran calls under Open MPI, whose own Fortran functions call
// PMPI_ and so pass by c_functions.cpp. (MPICH's call MPI_: defining these there would count calls
// twice.)
#include <mpi.h>

#ifdef OPEN_MPI

#include <dlfcn.h>
#include <link.h>

#include <type_traits>

#include "runtime/loaded_library.h"
#include "runtime/messages.h"
#include "runtime/passed.h"
#include "runtime/perform.h"

// Addresses that stand for MPI_BOTTOM and MPI_IN_PLACE; from libmpi.
extern "C" {
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));
}

namespace {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are passed on as they are");

MPI_Comm comm_of(const MPI_Fint* comm) { return PMPI_Comm_f2c(*comm); }

int free_by(int (*function)(MPI_Comm*), MPI_Fint* comm) {
  MPI_Comm handle = comm_of(comm);
  const int rc = function(&handle);
  if (rc == MPI_SUCCESS) *comm = PMPI_Comm_c2f(handle);
  return rc;
}

// mpi_f08 may leave the error code out.
void give(MPI_Fint* error, int rc) {
  if (error != nullptr) *error = rc;
}

// The C function's argument for the address that Fortran gives.
template <typename Argument>
Argument argument_at(void* address) {
  auto* const number = static_cast<MPI_Fint*>(address);
  if constexpr (std::is_same_v<Argument, MPI_Datatype>) {
    return PMPI_Type_f2c(*number);
  } else if constexpr (std::is_same_v<Argument, MPI_Op>) {
    return PMPI_Op_f2c(*number);
  } else if constexpr (std::is_same_v<Argument, MPI_Comm>) {
    return comm_of(number);
  } else if constexpr (std::is_same_v<Argument, int>) {
    return *number;
  } else if constexpr (std::is_void_v<std::remove_pointer_t<Argument>>) {
    if (address == &mpi_fortran_bottom_) return MPI_BOTTOM;
    return address == &mpi_fortran_in_place_ ? MPI_IN_PLACE : address;
  } else {
    return number;  // counts or displacements
  }
}

template <typename... Arguments, typename... Pointers>
int call_entry(int (*function)(Arguments...), Pointers*... addresses) {
  return function(argument_at<Arguments>(addresses)...);
}

// Open MPI's function of that name, in a separate library that a program may have brought in by
// dlopen for itself alone.
void* find_function(const char* name) {
  struct Search {
    const char* name;
    void* found;
  } search = {name, ::dlsym(RTLD_DEFAULT, name)};
  const auto look = [](dl_phdr_info* library, std::size_t, void* data) {
    auto* wanted = static_cast<Search*>(data);
    void* handle = ::dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    wanted->found = ::dlsym(handle, wanted->name);
    ::dlclose(handle);
    return wanted->found == nullptr ? 0 : 1;
  };
  if (search.found == nullptr) ::dl_iterate_phdr(look, &search);
  return search.found;
}

// Under another library, whose Fortran this library does not know.
template <typename... Pointers>
void call_fortran(const char* name, Pointers*... arguments) {
  auto* const next = reinterpret_cast<void (*)(Pointers * ...)>(find_function(name));
  if (next != nullptr) next(arguments...);
}

// Calls that Open MPI's own Fortran function carries out, `call(error)`: how a collective is
// counted, and the time of one that completes requests.
template <typename Call>
void pass_on_fortran(colltree::runtime::Function function, const MPI_Fint* comm,
                     const MPI_Fint* request, const void* root, const Call& call) {
  if (!colltree::runtime::is_recording()) return void(call());
  colltree::runtime::pass_on(function, comm_of(comm), colltree::runtime::why_passed(function),
                             root == nullptr ? 0 : *static_cast<const MPI_Fint*>(root), call,
                             request);
}
template <typename Call, typename Done>
void pass_on_fortran(MPI_Fint count, const MPI_Fint* list, const Done& completed,
                     const Call& call) {
  colltree::runtime::account_for(count, list, call, completed);
}

}  // namespace

#define COLLTREE_NAMED(symbol, name, parameters) \
  void symbol parameters __attribute__((alias("colltree_fortran_" #name)));

// The names that compilers make of MPI_NAME. x: the prefix is mpix_.
#define COLLTREE_FORTRAN_NAMES(x, X, name, NAME, parameters) \
  COLLTREE_NAMED(mpi##x##_##name, x##name, parameters)       \
  COLLTREE_NAMED(mpi##x##_##name##_, x##name, parameters)    \
  COLLTREE_NAMED(mpi##x##_##name##__, x##name, parameters)   \
  COLLTREE_NAMED(MPI##X##_##NAME, x##name, parameters)

// These, and the one of mpi_f08.
#define COLLTREE_FORTRAN_X(x, X, name, NAME, parameters, arguments, call)    \
  void colltree_fortran_##x##name parameters {                               \
    if (!colltree::runtime::fits_loaded_library())                           \
      return call_fortran("pmpi" #x "_" #name "_", COLLTREE_LIST arguments); \
    colltree::runtime::note_caller();                                        \
    give(error, call);                                                       \
  }                                                                          \
  COLLTREE_FORTRAN_NAMES(x, X, name, NAME, parameters)                       \
  COLLTREE_NAMED(mpi##x##_##name##_f08_, x##name, parameters)
#define COLLTREE_FORTRAN(name, NAME, parameters, arguments, call) \
  COLLTREE_FORTRAN_X(, , name, NAME, parameters, arguments, call)

// Each operation takes addresses and, last of its parameters, the communicator.
#define COLLTREE_LIST(...) __VA_ARGS__
#define COLLTREE_PARAMETERS_1 Fint* comm
#define COLLTREE_PARAMETERS_5 void *a, void *b, void *c, void *d, Fint *comm
#define COLLTREE_PARAMETERS_6 void *a, void *b, void *c, void *d, void *e, Fint *comm
#define COLLTREE_PARAMETERS_7 void *a, void *b, void *c, void *d, void *e, void *f, Fint *comm
#define COLLTREE_PARAMETERS_8 \
  void *a, void *b, void *c, void *d, void *e, void *f, void *g, Fint *comm
#define COLLTREE_PARAMETERS_9 \
  void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, Fint *comm
#define COLLTREE_ARGUMENTS_1 comm
#define COLLTREE_ARGUMENTS_5 a, b, c, d, comm
#define COLLTREE_ARGUMENTS_6 a, b, c, d, e, comm
#define COLLTREE_ARGUMENTS_7 a, b, c, d, e, f, comm
#define COLLTREE_ARGUMENTS_8 a, b, c, d, e, f, g, comm
#define COLLTREE_ARGUMENTS_9 a, b, c, d, e, f, g, h, comm

// The root is behind 8 others, or it is of no use.
#define COLLTREE_ROOT_7 nullptr
#define COLLTREE_ROOT_8 nullptr
#define COLLTREE_ROOT_9 h

namespace entry = colltree::runtime::entry;
using Fint = MPI_Fint;

extern "C" {

COLLTREE_FORTRAN(init, INIT, (Fint * error), (error), MPI_Init(nullptr, nullptr))
COLLTREE_FORTRAN(init_thread, INIT_THREAD, (Fint * required, Fint* provided, Fint* error),
                 (required, provided, error),
                 MPI_Init_thread(nullptr, nullptr, *required, provided))
COLLTREE_FORTRAN(comm_free, COMM_FREE, (Fint * comm, Fint* error), (comm, error),
                 free_by(colltree::runtime::entry::Comm_free, comm))
COLLTREE_FORTRAN(comm_disconnect, COMM_DISCONNECT, (Fint * comm, Fint* error), (comm, error),
                 free_by(colltree::runtime::entry::Comm_disconnect, comm))
COLLTREE_FORTRAN(abort, ABORT, (Fint * comm, Fint* code, Fint* error), (comm, code, error),
                 MPI_Abort(comm_of(comm), *code))
#ifdef COLLTREE_HAS_ULFM
COLLTREE_FORTRAN_X(x, X, comm_revoke, COMM_REVOKE, (Fint * comm, Fint* error), (comm, error),
                   MPIX_Comm_revoke(comm_of(comm)))
#endif

// The rest is passed on with its arguments as they are.
#define COLLTREE_FORTRAN_TO(symbol, next_symbol, parameters, arguments, counted)   \
  void symbol(COLLTREE_LIST parameters, Fint* error) {                             \
    using Next = void(COLLTREE_LIST parameters, Fint*);                            \
    static Next* const next = reinterpret_cast<Next*>(find_function(next_symbol)); \
    Fint unasked = MPI_SUCCESS;                                                    \
    Fint* const result = error == nullptr ? &unasked : error;                      \
    colltree::runtime::note_caller();                                              \
    pass_on_fortran(COLLTREE_LIST counted, [&] {                                   \
      *result = MPI_ERR_INTERN;                                                    \
      if (next != nullptr) next(COLLTREE_LIST arguments, result);                  \
      return *result;                                                              \
    });                                                                            \
  }

#define COLLTREE_FORTRAN_PASSED(x, X, name, NAME, parameters, arguments, counted)                 \
  COLLTREE_FORTRAN_TO(colltree_fortran_##x##name, "pmpi" #x "_" #name "_", parameters, arguments, \
                      counted)                                                                    \
  COLLTREE_FORTRAN_NAMES(x, X, name, NAME, (COLLTREE_LIST parameters, Fint*))                     \
  COLLTREE_FORTRAN_TO(mpi##x##_##name##_f08_, "pmpi" #x "_" #name "_f08_", parameters, arguments, \
                      counted)

#define COLLTREE_FUNCTION(Name, form)                                 \
  (colltree::runtime::Function{colltree::runtime::Operation::k##Name, \
                               colltree::runtime::Form::form})
#define COLLTREE_FORTRAN_NONBLOCKING(Name, name, NAME, n)                                  \
  COLLTREE_FORTRAN_PASSED(, , i##name, I##NAME, (COLLTREE_PARAMETERS_##n, Fint * request), \
                          (COLLTREE_ARGUMENTS_##n, request),                               \
                          (COLLTREE_FUNCTION(Name, kNonblocking), comm, request, nullptr))
#define COLLTREE_FORTRAN_PERSISTENT(x, X, Name, name, NAME, n)                  \
  COLLTREE_FORTRAN_PASSED(x, X, name##_init, NAME##_INIT,                       \
                          (COLLTREE_PARAMETERS_##n, void* info, Fint* request), \
                          (COLLTREE_ARGUMENTS_##n, info, request),              \
                          (COLLTREE_FUNCTION(Name, kPersistent), comm, request, nullptr))

#define COLLTREE_COLLECTIVE(Name, name, NAME, n, ...)                   \
  COLLTREE_FORTRAN(name, NAME, (COLLTREE_PARAMETERS_##n, Fint * error), \
                   (COLLTREE_ARGUMENTS_##n, error),                     \
                   call_entry(entry::Name, COLLTREE_ARGUMENTS_##n))     \
  COLLTREE_FORTRAN_NONBLOCKING(Name, name, NAME, n)
#define COLLTREE_UNDECIDED(Name, name, NAME, n, ...)                                           \
  COLLTREE_FORTRAN_NONBLOCKING(Name, name, NAME, n)                                            \
  COLLTREE_FORTRAN_PASSED(, , name, NAME, (COLLTREE_PARAMETERS_##n), (COLLTREE_ARGUMENTS_##n), \
                          (COLLTREE_FUNCTION(Name, kBlocking), comm, nullptr, COLLTREE_ROOT_##n))
#include "coll/collectives.def"

#ifdef COLLTREE_HAS_PERSISTENT
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, ...) \
  COLLTREE_FORTRAN_PERSISTENT(, , Name, name, NAME, n)
#include "coll/collectives.def"
#endif
#ifdef COLLTREE_HAS_PERSISTENT_X
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, ...) \
  COLLTREE_FORTRAN_PERSISTENT(x, X, Name, name, NAME, n)
#include "coll/collectives.def"
#endif

}  // extern "C"

namespace colltree::runtime::fortran {

using Request = Fint;
using Status = void;
using Count = const Fint*;

extern "C" {
#define COLLTREE_WAIT(Name, name, NAME, parameters, arguments, count, list, completed, indices) \
  COLLTREE_FORTRAN_PASSED(, , name, NAME, parameters, arguments, (count, list, [&] {            \
                            return Completed{completed, indices, 1};                            \
                          }))
#include "runtime/waits.def"
}

}  // namespace colltree::runtime::fortran

#endif  // OPEN_MPI
