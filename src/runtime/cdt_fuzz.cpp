// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: cmake -DCOLLTREE_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++, then
//   ./cdt_fuzz -max_total_time=60 DIRECTORY_OF_CDT_FILES
// Each input is tried as it is and with its checksum made right.
#include <vector>

#include "runtime/cdt_try.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace colltree::cdt;
  try_everything(data, size);
  std::vector<unsigned char> sealed(data, data + size);
  reseal(sealed.data(), sealed.size());
  try_everything(sealed.data(), sealed.size());
  return 0;
}
