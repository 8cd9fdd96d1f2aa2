// SPDX-License-Identifier: BSD-3-Clause
// One libFuzzer program for all readers: the environment variable COLLTREE_FUZZ_READER says which.
//   reader_fuzz list                                  their names
//   COLLTREE_FUZZ_READER=csv reader_fuzz FILE         repeats one input
//   COLLTREE_FUZZ_READER=csv reader_fuzz DIRECTORY    looks for others, without end
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "reader.h"

namespace colltree::fuzz {

void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "does not hold: {}\n", what);
  std::abort();
}

namespace {

std::function<void(std::string_view)> chosen;

std::vector<Reader> all_readers() {
  std::vector<Reader> all;
  for (const auto& list : {table_readers(), results_readers(), rule_readers(), model_readers(),
                           job_readers(), word_readers(), profile_readers(), decision_readers()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

void read(std::string_view input) {
  try {
    chosen(input);
  } catch (const Error& error) {
    // What a terminal must not get is taken out where errors are printed (cli/run.cpp).
    const std::string text = printable(error.what());
    require(!text.empty() && text.size() <= 8192, "an error says something, in one line");
  } catch (const std::exception& error) {
    require(false, fmt::format("nothing but an Error is thrown: {}", error.what()));
  }
}

}  // namespace
}  // namespace colltree::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  using namespace colltree::fuzz;
  const bool list = *count == 2 && std::strcmp((*words)[1], "list") == 0;
  const char* const name = std::getenv("COLLTREE_FUZZ_READER");
  for (const Reader& one : all_readers()) {
    if (list) fmt::print("{}\n", one.name);
    if (name != nullptr && one.name == name) chosen = one.read;
  }
  if (list) std::exit(0);
  if (chosen) return 0;
  fmt::print(stderr, "reader_fuzz: COLLTREE_FUZZ_READER must be one of `reader_fuzz list`\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  colltree::fuzz::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
