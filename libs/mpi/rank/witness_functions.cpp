// SPDX-License-Identifier: BSD-3-Clause
// The witness of the MPI library that this is compiled with. Those of other libraries do not
// compile, and the trampolines of Open MPI's are assembly.
#include <mpi.h>

#include "rank/witness.h"

#if defined(OPEN_MPI) && defined(__linux__) && defined(__x86_64__)

// One trampoline for each algorithm function of the library: it adds one to the row's counter and
// jumps to the library's function with all registers as they were. Components call these functions
// through the procedure linkage table, so the program's definitions come first; about 1 ns a call.
// A function that the installed library has not is never called and never counted.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#include "coll/library_algorithms.h"

#define COLLTREE_OPENMPI_ALGORITHM(collective, id, since, algorithm, name, parameters, needs, \
                                   hazards, function)                                         \
  COLLTREE_FUNCTION(collective, id, function)
#define COLLTREE_HAN_ALGORITHM(collective, number, algorithm, parameters, function) \
  COLLTREE_FUNCTION(collective, colltree::kFirstOfHan + (number), function)
#define COLLTREE_OPENMPI_UNSEEN(...)
#define COLLTREE_HAN_UNSEEN(...)

namespace {

enum Row : int {
#define COLLTREE_FUNCTION(collective, id, symbol) kRow_##symbol,
#include "coll/openmpi_algorithms.def"
#include "coll/openmpi_han.def"
#undef COLLTREE_FUNCTION
  kRows
};

struct Function {
  const char* collective;
  int id;
  const char* symbol;
};

constexpr Function kFunctions[] = {
#define COLLTREE_FUNCTION(collective, id, symbol) {#collective, id, #symbol},
#include "coll/openmpi_algorithms.def"
#include "coll/openmpi_han.def"
#undef COLLTREE_FUNCTION
};

}  // namespace

extern "C" {
// Named in the assembly below.
__attribute__((visibility("hidden"), used)) std::uint64_t colltree_witness_calls[kRows];
__attribute__((visibility("hidden"), used)) void* colltree_witness_next[kRows];

__attribute__((visibility("hidden"), used)) void colltree_witness_find(int row) {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        return 0;
      },
      &files);
  for (const std::string& file : files) {
    if (file.empty()) continue;  // the program itself
    void* const object = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    void* const found = dlsym(object, kFunctions[row].symbol);
    dlclose(object);
    if (found != nullptr) colltree_witness_next[row] = found;
  }
}
}

// The address in a component that is loaded later (coll/han of 4.1) is looked up at the first call;
// all registers that hold arguments stay as they were.
#define COLLTREE_FUNCTION(collective, id, symbol)                                \
  __attribute__((used, naked)) void colltree_trampoline_##symbol() asm(#symbol); \
  void colltree_trampoline_##symbol() {                                          \
    asm("incq colltree_witness_calls+%c0(%%rip)\n\t"                             \
        "cmpq $0, colltree_witness_next+%c0(%%rip)\n\t"                          \
        "jne 1f\n\t"                                                             \
        "pushq %%rdi\n\tpushq %%rsi\n\tpushq %%rdx\n\t"                          \
        "pushq %%rcx\n\tpushq %%r8\n\tpushq %%r9\n\tsubq $8, %%rsp\n\t"          \
        "movl %1, %%edi\n\t"                                                     \
        "call colltree_witness_find\n\t"                                         \
        "addq $8, %%rsp\n\tpopq %%r9\n\tpopq %%r8\n\tpopq %%rcx\n\t"             \
        "popq %%rdx\n\tpopq %%rsi\n\tpopq %%rdi\n"                               \
        "1:\tjmp *colltree_witness_next+%c0(%%rip)"                              \
        :                                                                        \
        : "i"(8 * kRow_##symbol), "i"(static_cast<int>(kRow_##symbol)));         \
  }
extern "C" {
#include "coll/openmpi_algorithms.def"
#include "coll/openmpi_han.def"
}
#undef COLLTREE_FUNCTION
#undef COLLTREE_OPENMPI_ALGORITHM
#undef COLLTREE_HAN_ALGORITHM
#undef COLLTREE_OPENMPI_UNSEEN
#undef COLLTREE_HAN_UNSEEN

namespace colltree::rank {

namespace {

const bool kBound = [] {
  for (int row = 0; row < kRows; ++row)
    colltree_witness_next[row] = dlsym(RTLD_NEXT, kFunctions[row].symbol);
  return true;
}();

}  // namespace

bool has_witness() { return kBound; }

void reset_witness() {
  for (std::uint64_t& calls : colltree_witness_calls) calls = 0;
}

std::vector<int> witnessed_ids(Collective collective) {
  std::vector<int> ids;
  for (int row = 0; row < kRows; ++row) {
    if (colltree_witness_calls[row] > 0 && kFunctions[row].collective == name(collective))
      ids.push_back(kFunctions[row].id);
  }
  return ids;
}

}  // namespace colltree::rank

#else

namespace colltree::rank {

bool has_witness() { return false; }
void reset_witness() {}
std::vector<int> witnessed_ids(Collective) { return {}; }

}  // namespace colltree::rank

#endif

#if defined(MPICH_VERSION) && !defined(I_MPI_VERSION)

#include <dlfcn.h>
#include <execinfo.h>
#include <sched.h>
#include <unwind.h>

#include <cstddef>
#include <cstring>

namespace colltree::rank {

namespace {

bool tracing = false;
CallTrace trace;
bool shares_cores = true;  // until it is known
bool is_ending = false;    // in MPI_Finalize

const void* library_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// Compares with a function that no tool in front of the library defines.
bool in_mpi_library(const void* address) {
  static const void* const mpi = library_of(reinterpret_cast<void*>(&PMPI_Get_version));
  return mpi != nullptr && library_of(address) == mpi;
}

void note_stack() {
  if (!tracing) return;
  tracing = false;  // backtrace may allocate
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    // A return address may lie behind the function that ends with the call.
    auto* inside = static_cast<char*>(frames[i]) - 1;
    if (in_mpi_library(inside)) trace.insert(_Unwind_FindEnclosingFunction(inside));
  }
  tracing = true;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void start_trace() {
  trace.clear();
  tracing = true;
}

CallTrace stop_trace() {
  tracing = false;
  return trace;
}

void yield_while_waiting(bool on) { shares_cores = on; }

}  // namespace colltree::rank

// The declarations follow ucp/api/ucp.h; requests and parameters are only handed on.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count,
                                  unsigned long tag, const void* parameters) {
  using Send = void*(void*, const void*, std::size_t, unsigned long, const void*);
  static auto* const library = colltree::rank::next<Send>("ucp_tag_send_nbx");
  colltree::rank::note_stack();
  return library(endpoint, buffer, count, tag, parameters);
}

extern "C" void* ucp_tag_recv_nbx(void* worker, void* buffer, std::size_t count, unsigned long tag,
                                  unsigned long mask, const void* parameters) {
  using Receive = void*(void*, void*, std::size_t, unsigned long, unsigned long, const void*);
  static auto* const library = colltree::rank::next<Receive>("ucp_tag_recv_nbx");
  colltree::rank::note_stack();
  return library(worker, buffer, count, tag, mask, parameters);
}

// MPICH over UCX busy-waits and never yields its core: with more ranks than cores a message costs a
// time slice of the scheduler, milliseconds. This takes the place of UCX's progress function, in
// this program only, and yields when there was no progress and ranks share cores.
extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static auto* const next = reinterpret_cast<Progress*>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned events = next(worker);
  if (events == 0 && colltree::rank::shares_cores) sched_yield();
  return events;
}

// MPI_Finalize closes each connection and waits until the other side has heard of it, but who has
// closed all of his goes to a barrier in which he hears nothing: over TCP on four nodes such a job
// never ends (MPICH 4.0.2). Closing is nothing to wait for where the process ends anyway.
extern "C" void* ucp_disconnect_nb(void* endpoint) {
  using Disconnect = void*(void*);
  static auto* const library = colltree::rank::next<Disconnect>("ucp_disconnect_nb");
  return colltree::rank::is_ending ? nullptr : library(endpoint);
}

extern "C" int MPI_Finalize() {
  colltree::rank::is_ending = true;
  return PMPI_Finalize();
}

#else

namespace colltree::rank {

void start_trace() {}
CallTrace stop_trace() { return {}; }
void yield_while_waiting(bool) {}

}  // namespace colltree::rank

#endif
