// SPDX-License-Identifier: BSD-3-Clause
// One libFuzzer program for all readers: the environment variable COLLTREE_FUZZ_READER says which.
//   reader_fuzz list                                  their names
//   COLLTREE_FUZZ_READER=csv reader_fuzz FILE         repeats one input
//   COLLTREE_FUZZ_READER=csv reader_fuzz DIRECTORY    looks for others, without end
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>

#include "reader.h"

namespace colltree::fuzz {

namespace {

Reader chosen;

}  // namespace
}  // namespace colltree::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  using namespace colltree::fuzz;
  const bool list = *count == 2 && std::strcmp((*words)[1], "list") == 0;
  const char* const name = std::getenv("COLLTREE_FUZZ_READER");
  for (const Reader& one : all_readers()) {
    if (list) fmt::print("{}\n", one.name);
    if (name != nullptr && one.name == name) chosen = one;
  }
  if (list) std::exit(0);
  if (chosen.read) return 0;
  fmt::print(stderr, "reader_fuzz: COLLTREE_FUZZ_READER must be one of `reader_fuzz list`\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  colltree::fuzz::read_by(colltree::fuzz::chosen,
                          std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
