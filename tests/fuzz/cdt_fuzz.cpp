// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target over the reader of compact decision files. Each input is tried as it is and with
// its checksum made right. `cdt_fuzz FILE` repeats one; with -DCOLLTREE_FUZZ=ON the test
// cdt_libfuzzer makes a bounded run (run.sh). For longer: cdt_fuzz -max_total_time=3600 DIRECTORY.
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
