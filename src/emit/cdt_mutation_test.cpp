// SPDX-License-Identifier: BSD-3-Clause
// A million damaged compact decision files: none may crash, read out of bounds (AddressSanitizer
// watches in the dev preset) or decide outside its method table. Beside tests/fuzz, with any
// compiler.
#include <gtest/gtest.h>

#include <memory>

#include "emit/cdt.h"
#include "model/kinds/quadtree.h"
#include "model/test_models.h"
#include "runtime/cdt_try.h"

namespace colltree {
namespace {

using testing::pick;

std::vector<std::string> seeds(testing::Random& random) {
  std::vector<std::string> files;
  for (const CdtForm form : {CdtForm::kTree, CdtForm::kTable}) {
    for (const std::size_t side : {1, 2, 4}) {
      const LabelGrid grid = make_label_grid(testing::random_map(random, side, side + 1, 3));
      const Model model = fit_quadtree({"", "", grid.collectives, 0}, grid, {});
      files.push_back(make_cdt(model.rules, {"seed"}, form));
    }
  }
  return files;
}

void mutate(std::string& file, testing::Random& random) {
  constexpr unsigned char kTelling[] = {0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFE, 0xFF};
  const std::size_t at = pick(random, 0, file.size() - 1);
  switch (pick(random, 0, 5)) {
    case 0:
      file[at] = static_cast<char>(file[at] ^ (1 << pick(random, 0, 7)));
      break;
    case 1:
      file[at] = static_cast<char>(random());
      break;
    case 2:
      file[at] = static_cast<char>(kTelling[pick(random, 0, sizeof kTelling - 1)]);
      break;
    case 3:  // header and counts matter most
      file[pick(random, 0, std::min<std::size_t>(file.size(), 160) - 1)] =
          static_cast<char>(kTelling[pick(random, 0, sizeof kTelling - 1)]);
      break;
    case 4:
      file.resize(at + 1);
      break;
    default:
      file.insert(at, 1, static_cast<char>(random()));
  }
}

TEST(CdtMutation, AMillionDamagedFilesDoNoHarm) {
  testing::Random random(51);
  const std::vector<std::string> files = seeds(random);
  for (const std::string& file : files) {
    ASSERT_TRUE(
        cdt::try_everything(reinterpret_cast<const unsigned char*>(file.data()), file.size()));
  }
  std::uint64_t accepted = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    std::string file = files[pick(random, 0, files.size() - 1)];
    for (std::uint64_t count = pick(random, 1, 3); count > 0; --count) mutate(file, random);
    // An exact allocation, so that one byte too far is seen.
    const auto bytes = std::make_unique<unsigned char[]>(file.size());
    std::memcpy(bytes.get(), file.data(), file.size());
    if (i % 8 != 0) cdt::reseal(bytes.get(), file.size());
    accepted += cdt::try_everything(bytes.get(), file.size()) ? 1 : 0;
  }
  // Some damage is harmless (a segment size, a method index): the checks behind the checksum were
  // reached, and most of it is refused.
  EXPECT_GT(accepted, 1000U);
  EXPECT_LT(accepted, 500'000U);
}

}  // namespace
}  // namespace colltree
