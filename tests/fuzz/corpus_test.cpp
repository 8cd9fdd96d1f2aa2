// SPDX-License-Identifier: BSD-3-Clause
// The inputs that the fuzzer starts from and once found, each through its reader, in every tier:
// corpus_test CORPUS.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reader.h"

int main(int, char** words) {
  using namespace colltree::fuzz;
  const std::filesystem::path corpus = words[1];
  const std::vector<Reader> readers = all_readers();
  std::size_t inputs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(corpus)) {
    const std::string name = folder.path().filename();
    const auto reader = std::ranges::find(readers, name, &Reader::name);
    if (reader == readers.end()) {
      fmt::print("FAILED: {}: no reader of this name\n", folder.path().string());
      return 1;
    }
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      fmt::print("{}\n",
                 file.path().string());  // a fault ends the program: this line names its input
      std::fflush(stdout);
      std::ifstream stream(file.path(), std::ios::binary);  // not read_file: as the fuzzer gives it
      read_by(*reader, {std::istreambuf_iterator<char>(stream), {}});
      ++inputs;
    }
  }
  fmt::print("ok: {} inputs\n", inputs);
  return 0;
}
