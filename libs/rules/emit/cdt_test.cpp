// SPDX-License-Identifier: BSD-3-Clause
// Compact decision files: every form against the model, and what is refused.
#include "emit/cdt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/test_sample.h"
#include "base/test_scratch.h"
#include "colltree/decision.h"
#include "decision/test_cdt.h"
#include "emit/emitter.h"
#include "emit/test_decisions.h"
#include "model/kinds/quadtree.h"
#include "model/model.h"
#include "model/test_models.h"

namespace colltree::emit {
namespace {

using ::testing::HasSubstr;
using testing::Loaded;

constexpr CdtForm kForms[] = {CdtForm::kAuto, CdtForm::kTree, CdtForm::kTable};

model::Model exact_model(const DecisionMap& map, const model::GridTreeOptions& options = {}) {
  const model::LabelGrid grid = model::make_label_grid(map);
  return model::fit_quadtree({"random", "simulated", grid.collectives, grid.points()}, grid,
                             options);
}

TEST(Cdt, AllAttributesAndCollectivesInBothForms) {
  model::RuleTree tree{.methods = {{"a", 0}, {"b", 1024}, {"c", std::nullopt}},
                       .roots = {{Collective::kReduce, 0}, {Collective::kScatterv, 9}},
                       .nodes = {}};
  for (std::size_t i = 0; i < kAttributes; ++i) {
    model::append_test(tree, static_cast<Attribute>(i), i < 4 ? 3 * i + 1 : 0);
  }
  for (std::uint16_t method = 0; method < 3; ++method) model::append_leaf(tree, method);
  model::append_leaf(tree, 2);
  tree.nodes[0] = {Attribute::kCommunicatorSize, 1, 1, 2, 0};
  tree.nodes[1] = {Attribute::kMessageSize, 4, 3, 5, 0};
  tree.nodes[2] = {Attribute::kNodes, 7, 4, 6, 0};
  tree.nodes[3] = {Attribute::kRanksPerNode, 10, 5, 7, 0};
  tree.nodes[4] = {Attribute::kCommunicatorSizeIsPowerOfTwo, 0, 7, 6, 0};
  tree.nodes[5] = {Attribute::kMessageSizeIsEven, 0, 8, 6, 0};
  for (const CdtForm form : kForms) {
    const Loaded loaded(make_cdt(tree, {}, form));
    for (const Instance& at : testing::telling_instances(tree)) {
      ASSERT_EQ(loaded.decide(at), model::decide(tree, at));
    }
    EXPECT_THROW(loaded.decide({Collective::kBcast, 2, 2}), Error);
  }
}

TEST(Cdt, ATreeHoldsThresholdsBelowTwoToThe56AndATableAll) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_test(tree, Attribute::kMessageSize, cdt::kMostValue - 1);
  model::append_leaf(tree, 0);
  model::append_leaf(tree, 1);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  for (const CdtForm form : kForms) {
    const Loaded loaded(make_cdt(tree, {}, form));
    EXPECT_EQ(loaded.decide({Collective::kBcast, 2, cdt::kMostValue - 1}).algorithm, "a");
    EXPECT_EQ(loaded.decide({Collective::kBcast, 2, cdt::kMostValue}).algorithm, "b");
    EXPECT_EQ(loaded.decide({Collective::kBcast, 2, UINT64_MAX}).algorithm, "b");
  }
  tree.nodes[0].threshold = UINT64_MAX - 1;
  EXPECT_THROW(make_cdt(tree, {}, CdtForm::kTree), Error);
  const Loaded loaded(make_cdt(tree, {}, CdtForm::kTable));
  EXPECT_EQ(loaded.decide({Collective::kBcast, 2, UINT64_MAX - 1}).algorithm, "a");
  EXPECT_EQ(loaded.decide({Collective::kBcast, 2, UINT64_MAX}).algorithm, "b");
}

TEST(Cdt, WhatATreeCannotHoldIsATableOfAnySize) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  for (std::uint64_t step = 0; step < 360; ++step) {  // 181 x 181 cells: 32 KB and the axes
    const auto attribute = step % 2 == 0 ? Attribute::kCommunicatorSize : Attribute::kMessageSize;
    const std::uint32_t test = model::append_test(tree, attribute, step + 1);
    tree.nodes[test].low = model::append_leaf(tree, static_cast<std::uint16_t>(step / 2 % 2));
    tree.nodes[test].high = test + 2;
  }
  model::append_leaf(tree, 0);
  EXPECT_THAT(Loaded(make_cdt(tree, {}, CdtForm::kAuto)).describe(), HasSubstr("tree of 360"));
  tree.nodes[0].threshold = cdt::kMostValue;
  EXPECT_THAT(Loaded(make_cdt(tree, {}, CdtForm::kAuto)).describe(), HasSubstr("table of 181 x"));
}

// Sizes as on the papers' Grig: 25 communicator sizes, 48 message sizes, 30 methods.
DecisionMap paper_sized_map() {
  testing::Random random(42);
  DecisionMap map = testing::random_map(random, 25, 48, 30);
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t i = 0; i < 25; ++i) ranks.push_back(2 + i + (i > 22 ? 1 : 0));
  std::set<std::uint64_t> sizes;
  for (std::uint64_t octave = 1; sizes.size() < 48; octave *= 2) {
    for (const std::uint64_t size : {octave, octave * 5 / 4, octave * 3 / 2}) sizes.insert(size);
  }
  map.axes = {make_axis(Attribute::kCommunicatorSize, ranks),
              make_axis(Attribute::kMessageSize, {sizes.begin(), std::next(sizes.begin(), 48)})};
  return map;
}

TEST(Cdt, TheExactTableOfThePapersGridFitsInAPage) {
  const DecisionMap map = paper_sized_map();
  const model::Model model = exact_model(map);
  const std::string table = find_emitter("table").emit(model, {});
  EXPECT_LE(table.size(), 4096U);
  const Loaded loaded(table);
  const std::vector<Instance> instances = testing::grid_instances(map);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    ASSERT_EQ(loaded.decide(instances[i]), map.methods[map.best[i]]);
  }
  EXPECT_THAT(loaded.describe(), HasSubstr("bcast: table of 25 x 48 cells"));
}

TEST(Cdt, LoadsFromAFileAndSaysWhatItHolds) {
  const auto path = fresh_path("good.cdt");
  model::Model model = exact_model(paper_sized_map(), {.max_depth = 2});
  model.origin.algorithms = "mpich";
  model.origin.mpi = "mpich-4.0.2";
  write_file(path, find_emitter("tree").emit(model, {}));
  char error[256] = "";
  colltree_decision* decision = colltree_decision_load(path.c_str(), error, sizeof error);
  ASSERT_NE(decision, nullptr) << error;
  char text[512];
  const std::size_t length = colltree_decision_describe(decision, text, sizeof text);
  EXPECT_EQ(length, std::strlen(text));
  EXPECT_THAT(text, HasSubstr("quadtree of bcast on random, 1200 instances, simulated; colltree"));
  char small[10];
  EXPECT_EQ(colltree_decision_describe(decision, small, sizeof small), length);
  EXPECT_EQ(std::string(small), std::string(text, 9));
  EXPECT_STREQ(colltree_decision_origin(decision).provenance, "simulated");
  EXPECT_STREQ(colltree_decision_origin(decision).algorithms, "mpich");
  EXPECT_STREQ(colltree_decision_origin(decision).mpi, "mpich-4.0.2");
  EXPECT_EQ(colltree_decision_is_portable(decision), 0);
  EXPECT_EQ(colltree_decision_method(decision, -1).algorithm, nullptr);
  EXPECT_EQ(colltree_decision_method(decision, 30).algorithm, nullptr);
  colltree_decision_free(decision);
  colltree_decision_free(nullptr);
}

colltree_decision* used(const std::string& file) {
  char error[256] = "";
  colltree_decision* decision =
      colltree_decision_use(file.data(), file.size(), error, sizeof error);
  EXPECT_NE(decision, nullptr) << error;
  return decision;
}

TEST(Cdt, DecidesForEveryIntegerAndRefusesUnknownCollectives) {
  const model::RuleTree tree = exact_model(paper_sized_map()).rules;
  constexpr std::uint64_t kEnds[] = {0,         1, (1ULL << 63) - 1, 1ULL << 63, (1ULL << 63) + 1,
                                     UINT64_MAX};
  for (const CdtForm form : kForms) {
    const std::string file = make_cdt(tree, {}, form);
    colltree_decision* decision = used(file);
    for (const std::uint64_t ranks : kEnds) {
      for (const std::uint64_t bytes : kEnds) {
        const colltree_instance at = {ranks, bytes, bytes, ranks};
        const std::uint16_t expected =
            model::decide_from(tree, 0, {Collective::kBcast, ranks, bytes});
        ASSERT_EQ(colltree_decide(decision, colltree_decision_collective("bcast"), &at), expected);
        for (const int unknown : {-1, INT_MIN, INT_MAX, 16, colltree_decision_collective("scan")}) {
          ASSERT_EQ(colltree_decide(decision, unknown, &at), -1);
        }
      }
    }
    colltree_decision_free(decision);
  }
  EXPECT_EQ(colltree_decision_collective("no such"), -1);
}

// Each thread of many asks in its own order while the others do; built with -fsanitize=thread,
// this shows that nothing is written.
TEST(Cdt, ThreadsShareADecision) {
  const DecisionMap map = paper_sized_map();
  const model::Model model = exact_model(map);
  const std::vector<Instance> instances = testing::grid_instances(map);
  for (const CdtForm form : kForms) {
    const Loaded loaded(make_cdt(model.rules, {}, form));
    std::atomic<std::size_t> wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < 4 * instances.size(); ++i) {
          const std::size_t at = (i * (2 * thread + 7)) % instances.size();
          if (!(loaded.decide(instances[at]) == map.methods[map.best[at]])) ++wrong;
          if (i % 1000 == 0 && loaded.describe().empty()) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0U);
  }
}

std::string load_error(const std::string& path) {
  char error[512] = "";
  EXPECT_EQ(colltree_decision_load(path.c_str(), error, sizeof error), nullptr);
  return error;
}

TEST(Cdt, FilesThatAreNotDecisionsAreRefusedWithAReason) {
  EXPECT_EQ(load_error("/no/such.cdt"), "/no/such.cdt: No such file or directory");
  EXPECT_EQ(load_error("/tmp"), "/tmp: not a regular file");
  const auto path = fresh_path("bad.cdt").string();
  const auto error_of = [&](const std::string& content) {
    write_file(path, content);
    return load_error(path).substr(path.size() + 2);
  };
  const std::string good = make_cdt(exact_model(paper_sized_map()).rules, {"x"}, CdtForm::kAuto);
  EXPECT_EQ(error_of(""), "too short for a compact decision file");
  EXPECT_EQ(error_of(std::string(100, 'x')), "not a compact decision file");
  EXPECT_EQ(error_of(good + "x"), "truncated or with a tail");
  std::string newer = good;
  newer[cdt::kAtVersion] = 2;
  EXPECT_EQ(error_of(newer), "written by a newer colltree; update this one");
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  EXPECT_EQ(error_of(flipped), "damaged: the checksum does not match");
}

// The file with other bytes for its last `old` (texts stand at the end) and the checksum that fits.
std::string patched(std::string file, const std::string& old, const std::string& now) {
  file.replace(file.rfind(old), old.size(), now);
  const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
  const std::uint64_t sum =
      cdt::checksum(bytes + cdt::kCheckedFrom, file.size() - cdt::kCheckedFrom);
  for (std::uint32_t i = 0; i < 8; ++i)
    file[cdt::kAtChecksum + i] = static_cast<char>(sum >> (8 * i));
  return file;
}

TEST(Cdt, ControlCharactersInTextsAreReplacedWhenWrittenAndRefusedWhenRead) {
  const auto path = fresh_path("text.cdt").string();
  const model::RuleTree tree = exact_model(paper_sized_map()).rules;
  for (const char* control : {"\x01", "\x1B", "\x1F", "\x7F", "\xC2\x80", "\xC2\x9B", "\xC2\x9F"}) {
    const std::string text = std::string("a") + control + "b";
    EXPECT_THAT(Loaded(make_cdt(tree, {text}, CdtForm::kAuto)).describe(), HasSubstr("a?b"));
    const std::string stand_in(std::strlen(control), '#');
    write_file(path, patched(make_cdt(tree, {"a" + stand_in}, CdtForm::kAuto), stand_in, control));
    EXPECT_EQ(load_error(path), path + ": damaged: control character in a name");
  }
  for (const char* text : {"\xC2\xA0", "\xC3\xA9", "\xE2\x82\xAC", "\xC2"}) {
    EXPECT_THAT(Loaded(make_cdt(tree, {text}, CdtForm::kAuto)).describe(), HasSubstr(text));
  }
}

// A million damaged compact decision files: none may crash, read out of bounds (AddressSanitizer
// watches in the dev preset) or decide outside its method table. Beside tests/fuzz, with any
// compiler.

using testing::pick;

std::vector<std::string> seeds(testing::Random& random) {
  std::vector<std::string> files;
  for (const CdtForm form : {CdtForm::kTree, CdtForm::kTable}) {
    for (const std::size_t side : {1, 2, 4}) {
      const model::LabelGrid grid =
          model::make_label_grid(testing::random_map(random, side, side + 1, 3));
      const model::Model model = model::fit_quadtree({"", "", grid.collectives, 0}, grid, {});
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
  const std::vector<std::size_t> damages = testing::sampled(1'000'000);
  for (const std::size_t seed : damages) {
    testing::Random chance(seed);
    std::string file = files[pick(chance, 0, files.size() - 1)];
    for (std::uint64_t count = pick(chance, 1, 3); count > 0; --count) mutate(file, chance);
    // An exact allocation, so that one byte too far is seen.
    const auto bytes = std::make_unique<unsigned char[]>(file.size());
    std::memcpy(bytes.get(), file.data(), file.size());
    if (pick(chance, 0, 7) != 0) cdt::reseal(bytes.get(), file.size());
    accepted += cdt::try_everything(bytes.get(), file.size()) ? 1 : 0;
  }
  // Some damage is harmless (a segment size, a method index): the checks behind the checksum were
  // reached, and most of it is refused.
  EXPECT_GT(accepted, damages.size() / 1000);
  EXPECT_LT(accepted, damages.size() / 2);
}

}  // namespace
}  // namespace colltree::emit
