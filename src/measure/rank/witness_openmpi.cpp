// SPDX-License-Identifier: BSD-3-Clause
// One trampoline for each row of openmpi_functions.def: it adds one to the row's counter and jumps
// to the library's function with all registers as they were. Components call these functions
// through the procedure linkage table, so the program's definitions come first; about 1 ns a call.
// A function that the installed library has not is never called and never counted.
#include <dlfcn.h>

#include <cstdint>

#include "measure/rank/witness.h"

namespace {

enum Row : int {
#define COLLTREE_FUNCTION(collective, id, symbol) kRow_##symbol,
#include "measure/rank/openmpi_functions.def"
#undef COLLTREE_FUNCTION
  kRows
};

struct Function {
  const char* collective;
  int id;
  const char* symbol;
};

constexpr Function kFunctions[] = {
#define COLLTREE_FUNCTION(collective, id, symbol) {#collective, id, "ompi_coll_base_" #symbol},
#include "measure/rank/openmpi_functions.def"
#undef COLLTREE_FUNCTION
};

}  // namespace

extern "C" {
// Named in the assembly below.
__attribute__((visibility("hidden"), used)) std::uint64_t colltree_witness_calls[kRows];
__attribute__((visibility("hidden"), used)) void* colltree_witness_next[kRows];
}

#define COLLTREE_FUNCTION(collective, id, symbol)                                                  \
  __attribute__((used, naked)) void colltree_trampoline_##symbol() asm("ompi_coll_base_" #symbol); \
  void colltree_trampoline_##symbol() {                                                            \
    asm("incq colltree_witness_calls+%c0(%%rip)\n\t"                                               \
        "jmp *colltree_witness_next+%c0(%%rip)"                                                    \
        :                                                                                          \
        : "i"(8 * kRow_##symbol));                                                                 \
  }
extern "C" {
#include "measure/rank/openmpi_functions.def"
}
#undef COLLTREE_FUNCTION

namespace colltree {

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

void start_trace() {}
CallTrace stop_trace() { return {}; }

void yield_while_waiting(bool) {}

}  // namespace colltree
