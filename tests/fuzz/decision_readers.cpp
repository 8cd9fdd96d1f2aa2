// SPDX-License-Identifier: BSD-3-Clause
// Compact decision files. Each input is tried as it is and with its checksum made right.
#include <vector>

#include "decision/test_cdt.h"
#include "reader.h"

namespace colltree::fuzz {
namespace {

void read_cdt(std::string_view input) {
  std::vector<unsigned char> bytes(input.begin(), input.end());
  cdt::try_everything(bytes.data(), bytes.size());
  cdt::reseal(bytes.data(), bytes.size());
  cdt::try_everything(bytes.data(), bytes.size());
}

}  // namespace

std::vector<Reader> decision_readers() { return {{"cdt", read_cdt}}; }

}  // namespace colltree::fuzz
