// SPDX-License-Identifier: BSD-3-Clause
// One trampoline for each row of openmpi_functions.def: it adds one to the row's counter and jumps
// to the library's function with all registers as they were. Components call these functions
// through the procedure linkage table, so the program's definitions come first; about 1 ns a call.
// A function that the installed library has not is never called and never counted.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

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
#define COLLTREE_FUNCTION(collective, id, symbol) {#collective, id, #symbol},
#include "measure/rank/openmpi_functions.def"
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

// Of a component that is loaded later (coll/han of 4.1) the address is looked up at the first call;
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
