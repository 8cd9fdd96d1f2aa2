// SPDX-License-Identifier: BSD-3-Clause
// The reader of compact decision files on files made here byte by byte, as
// docs/reference/formats/cdt.md says they are: without the writer, so that what both misunderstand
// alike is seen.
#include "colltree/decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "decision/cdt_format.h"

namespace colltree::runtime {
namespace {

using Bytes = std::string;

Bytes number(std::uint64_t value, int bytes) {
  Bytes text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
Bytes u16(std::uint64_t value) { return number(value, 2); }
Bytes u32(std::uint64_t value) { return number(value, 4); }
Bytes u64(std::uint64_t value) { return number(value, 8); }

constexpr std::uint32_t kLeaf = 0x8000;

Bytes node(std::uint32_t low, std::uint32_t high, std::uint64_t threshold,
           std::uint32_t attribute) {
  return u16(low) + u16(high) + u64(threshold * 8 + attribute);
}

struct Axis {
  std::uint32_t attribute = 0;
  std::uint32_t mantissa = 0;
  std::vector<std::uint64_t> thresholds;
  std::uint32_t probes = 1;
  std::vector<std::uint16_t> buckets;
};

// What a table of these axes holds when its parts agree; cells of one byte count up.
Bytes table(const std::vector<Axis>& axes, std::uint32_t methods, std::uint32_t cell_bytes = 1) {
  std::size_t cells = 1;
  for (const Axis& axis : axes) cells *= axis.thresholds.size() + 1;
  Bytes text = u32(axes.size()) + u32(cell_bytes) + u32(cells) + u32(0);
  for (const Axis& axis : axes) {
    text += u32(axis.attribute) + u32(axis.mantissa) + u32(axis.buckets.size()) +
            u32(axis.thresholds.size()) + u32(axis.probes) + u32(0);
  }
  for (const Axis& axis : axes) {
    for (const std::uint64_t threshold : axis.thresholds) text += u64(threshold);
    for (std::uint32_t i = 0; i < axis.probes; ++i) text += u64(UINT64_MAX);
    Bytes buckets;
    for (const std::uint16_t bucket : axis.buckets) buckets += u16(bucket);
    buckets.resize((buckets.size() + 7) / 8 * 8, '\0');
    text += buckets;
  }
  for (std::size_t i = 0; i < cells; ++i) text += number(i % methods, static_cast<int>(cell_bytes));
  return text;
}

struct Root {
  std::string collective;
  std::uint32_t form;
  Bytes body;
};

// Header, methods, roots, bodies, strings. The parts can be spoilt before the header is made.
struct File {
  std::vector<std::pair<std::string, std::uint64_t>> methods = {
      {"linear", 0}, {"binomial", 4096}, {"chain@fanout=4", UINT64_MAX}};
  std::vector<Root> roots;
  std::string description = "hand-made";
  std::vector<std::string> origin = {"measured", "portable", "openmpi-4.1.4"};

  Bytes bytes(const std::function<void(Bytes&)>& spoil = nullptr) const {
    Bytes strings = description + '\0';
    Bytes rows;
    for (const auto& [name, segment] : methods) {
      rows += u64(segment) + u32(strings.size()) + u32(0);
      strings += name + '\0';
    }
    Bytes origin_places;
    for (const std::string& text : origin) {
      origin_places += u32(strings.size());
      strings += text + '\0';
    }
    const std::size_t at_methods = cdt::kHeaderBytes;
    const std::size_t at_roots = at_methods + rows.size();
    std::size_t at_body = at_roots + roots.size() * cdt::kRootBytes;
    Bytes entries;
    Bytes bodies;
    for (const Root& root : roots) {
      entries += u32(strings.size()) + u32(root.form) + u32(at_body) + u32(root.body.size());
      strings += root.collective + '\0';
      bodies += root.body;
      at_body += root.body.size();
    }
    Bytes file(reinterpret_cast<const char*>(cdt::kMagic), sizeof cdt::kMagic);
    file += u32(cdt::kVersion) + u32(at_body + strings.size()) + u64(0);
    file += u32(methods.size()) + u32(at_methods) + u32(roots.size()) + u32(at_roots);
    file += u32(at_body) + u32(strings.size()) + u32(0) + origin_places;
    file += rows + entries + bodies + strings;
    if (spoil) spoil(file);
    if (file.size() >= cdt::kHeaderBytes) seal(file);
    return file;
  }

  static void seal(Bytes& file) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
    const std::uint64_t sum =
        cdt::checksum(bytes + cdt::kCheckedFrom, file.size() - cdt::kCheckedFrom);
    file.replace(cdt::kAtChecksum, 8, u64(sum));
  }
};

std::string refusal(const Bytes& file) {
  char error[256] = "";
  colltree_decision* made = colltree_decision_use(file.data(), file.size(), error, sizeof error);
  if (made == nullptr) return error;
  colltree_decision_free(made);
  return "";
}

// The choice at (communicator size, message size, nodes, ranks per node), -1: none.
int choice(const Bytes& file, const char* collective, colltree_instance at) {
  char error[256] = "";
  colltree_decision* made = colltree_decision_use(file.data(), file.size(), error, sizeof error);
  EXPECT_NE(made, nullptr) << error;
  if (made == nullptr) return -2;
  const int method = colltree_decide(made, colltree_decision_collective(collective), &at);
  colltree_decision_free(made);
  return method;
}

// bcast: up to 8 ranks linear; beyond, up to 100 bytes binomial, else chain.
const Bytes kSmallTree =
    u32(2) + u32(0) + node(kLeaf + 0, 1, 8, 0) + node(kLeaf + 1, kLeaf + 2, 100, 1);

// Communicator sizes up to 4 and beyond; messages up to 10, up to 1000 and beyond.
const Axis kRanksAxis{0, 0, {4}, 1, {0, 0, 0, 0, 1}};
const Axis kBytesAxis{1, 0, {10, 1000}, 1, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2}};

File tree_file() { return {.roots = {{"bcast", cdt::kTree, kSmallTree}}}; }
File table_file() {
  return {.roots = {{"bcast", cdt::kTable, table({kRanksAxis, kBytesAxis}, 3)}}};
}

TEST(Decision, ATreeIsWalkedWithItsThresholdsOnTheLowSide) {
  const Bytes file = tree_file().bytes();
  ASSERT_EQ(refusal(file), "");
  EXPECT_EQ(choice(file, "bcast", {8, 5000, 0, 0}), 0);
  EXPECT_EQ(choice(file, "bcast", {9, 100, 0, 0}), 1);
  EXPECT_EQ(choice(file, "bcast", {9, 101, 0, 0}), 2);
  EXPECT_EQ(choice(file, "bcast", {UINT64_MAX, UINT64_MAX, 0, 0}), 2);
  EXPECT_EQ(choice(file, "reduce", {8, 100, 0, 0}), -1);
  EXPECT_EQ(choice(file, "no_such", {8, 100, 0, 0}), -1);
}

TEST(Decision, ATreeOfOneLeafChoosesAlways) {
  const File file{.roots = {{"scan", cdt::kTree, u32(0) + u32(kLeaf + 2)}}};
  EXPECT_EQ(choice(file.bytes(), "scan", {1, 0, 0, 0}), 2);
}

TEST(Decision, EveryAttributeIsTheOneItsNumberSays) {
  struct Case {
    std::uint32_t attribute;
    std::uint64_t threshold;
    colltree_instance low;
    colltree_instance high;
  };
  const Case cases[] = {{0, 5, {5, 9, 9, 9}, {6, 0, 0, 0}},   {1, 5, {9, 5, 9, 9}, {0, 6, 0, 0}},
                        {2, 5, {9, 9, 5, 9}, {0, 0, 6, 0}},   {3, 5, {9, 9, 9, 5}, {0, 0, 0, 6}},
                        {4, 0, {12, 2, 0, 0}, {16, 3, 0, 0}}, {4, 0, {0, 2, 0, 0}, {1, 3, 0, 0}},
                        {5, 0, {16, 3, 0, 0}, {3, 2, 0, 0}}};
  for (const Case& one : cases) {
    // Below a test on messages that changes nothing, so that the fast path is not the only one.
    const File file{
        .roots = {{"bcast", cdt::kTree,
                   u32(1) + u32(0) + node(kLeaf + 0, kLeaf + 1, one.threshold, one.attribute)}}};
    EXPECT_EQ(choice(file.bytes(), "bcast", one.low), 0) << one.attribute;
    EXPECT_EQ(choice(file.bytes(), "bcast", one.high), 1) << one.attribute;
  }
}

TEST(Decision, ATableHasItsLastAxisFastest) {
  File six{.roots = {{"bcast", cdt::kTable, table({kRanksAxis, kBytesAxis}, 6)}}};
  for (const char* more : {"d", "e", "f"}) six.methods.emplace_back(more, 0);
  const Bytes file = six.bytes();
  ASSERT_EQ(refusal(file), "");
  const std::uint64_t ranks[] = {4, 5};
  const std::uint64_t messages[] = {10, 1000, 1001};
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 3; ++column)
      EXPECT_EQ(choice(file, "bcast", {ranks[row], messages[column], 0, 0}), 3 * row + column);
  }
  EXPECT_EQ(choice(file, "bcast", {0, 0, 0, 0}), 0);
  EXPECT_EQ(choice(file, "bcast", {UINT64_MAX, 11, 0, 0}), 4);
}

TEST(Decision, ATableMayHaveCellsOfTwoBytesAndAnyAttributes) {
  const Axis parity{5, 0, {0}, 1, {0, 1}};
  const Axis nodes{2, 0, {3}, 1, {0, 0, 0, 1}};
  const File file{.roots = {{"bcast", cdt::kTable, table({parity, nodes}, 3, 2)}}};
  ASSERT_EQ(refusal(file.bytes()), "");
  EXPECT_EQ(choice(file.bytes(), "bcast", {7, 7, 3, 0}), 0);
  EXPECT_EQ(choice(file.bytes(), "bcast", {7, 7, 4, 0}), 1);
  EXPECT_EQ(choice(file.bytes(), "bcast", {7, 8, 3, 0}), 2);
  EXPECT_EQ(choice(file.bytes(), "bcast", {7, 8, 4, 0}), 0);
}

TEST(Decision, MethodsHaveTheirSegmentsAndNoOthersExist) {
  const Bytes file = tree_file().bytes();
  char error[64];
  colltree_decision* made = colltree_decision_use(file.data(), file.size(), error, sizeof error);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(colltree_decision_methods(made), 3U);
  EXPECT_STREQ(colltree_decision_method(made, 1).algorithm, "binomial");
  EXPECT_EQ(colltree_decision_method(made, 1).segment_size, 4096U);
  EXPECT_EQ(colltree_decision_method(made, 1).has_segment_size, 1);
  EXPECT_STREQ(colltree_decision_method(made, 2).algorithm, "chain@fanout=4");
  EXPECT_EQ(colltree_decision_method(made, 2).segment_size, 0U);
  EXPECT_EQ(colltree_decision_method(made, 2).has_segment_size, 0);
  for (const int none : {-1, 3, 1 << 30}) {
    EXPECT_EQ(colltree_decision_method(made, none).algorithm, nullptr);
    EXPECT_EQ(colltree_decision_method(made, none).segment_size, 0U);
  }
  colltree_decision_free(made);
  colltree_decision_free(nullptr);
}

TEST(Decision, DescribesItselfAsSnprintfDoes) {
  File made = tree_file();
  made.roots.push_back({"gather", cdt::kTable, table({kRanksAxis, kBytesAxis}, 3)});
  const Bytes file = made.bytes();
  colltree_decision* decision = colltree_decision_use(file.data(), file.size(), nullptr, 0);
  ASSERT_NE(decision, nullptr);
  const std::string whole =
      "hand-made; " + std::to_string(file.size()) +
      " bytes, 3 methods; bcast: tree of 2 tests; gather: table of 2 x 3 cells";
  for (const std::size_t room : {std::size_t{200}, whole.size() + 1, whole.size(), std::size_t{30},
                                 std::size_t{9}, std::size_t{1}}) {
    std::vector<char> text(room + 1, '#');
    EXPECT_EQ(colltree_decision_describe(decision, text.data(), room), whole.size());
    EXPECT_EQ(std::string(text.data()), whole.substr(0, room - 1)) << room;
    EXPECT_EQ(text[room], '#') << "written beyond the end";
  }
  EXPECT_EQ(colltree_decision_describe(decision, nullptr, 0), whole.size());
  colltree_decision_free(decision);
}

TEST(Decision, AnErrorIsCutToItsRoom) {
  char error[12] = "###########";
  EXPECT_EQ(colltree_decision_use("", 0, error, 8), nullptr);
  EXPECT_STREQ(error, "decisio");
  EXPECT_EQ(error[8], '#');
  EXPECT_EQ(colltree_decision_use("", 0, nullptr, 0), nullptr);
}

TEST(Decision, ACollectiveThatIsNotKnownHereIsCheckedAndLeftAlone) {
  File file = tree_file();
  file.roots.push_back({"ibcast", cdt::kTree, u32(0) + u32(kLeaf + 1)});
  EXPECT_EQ(refusal(file.bytes()), "");
  EXPECT_EQ(choice(file.bytes(), "bcast", {8, 1, 0, 0}), 0);
  file.roots[1].body = u32(0) + u32(kLeaf + 3);
  EXPECT_EQ(refusal(file.bytes()), "decision in memory: damaged: tree root");
}

// A number of the header, where the file says it is.
std::function<void(Bytes&)> header(std::uint32_t at, std::uint64_t value) {
  return [=](Bytes& file) { file.replace(at, 4, u32(value)); };
}
// Bytes from the start of the part that the header names at `part`.
std::function<void(Bytes&)> part(std::uint32_t where, std::size_t offset, const Bytes& bytes) {
  return [=](Bytes& file) {
    const auto* at = reinterpret_cast<const unsigned char*>(file.data()) + where;
    file.replace(cdt::load<std::uint32_t>(at) + offset, bytes.size(), bytes);
  };
}

TEST(Decision, TellsWhereItComesFromAndWhoseAlgorithmsItNames) {
  const std::vector<std::pair<std::string, std::uint64_t>> only_default = {{"default", 0}};
  struct Case {
    std::vector<std::string> origin;
    bool only_default;
    int is_portable;
  };
  const Case cases[] = {{{"measured", "portable", "openmpi-4.1.4"}, false, 1},
                        {{"simulated", "portable", ""}, false, 1},
                        {{"imported", "", ""}, false, 1},
                        {{"measured", "openmpi", "openmpi-4.1.4"}, false, 0},
                        {{"measured", "openmpi", "openmpi-4.1.4"}, true, 1},
                        {{"measured", "mpich and portable", "mpich-4.0.2"}, false, 0}};
  for (const Case& one : cases) {
    File file = tree_file();
    file.origin = one.origin;
    if (one.only_default) {
      file.methods = only_default;
      file.roots = {{"bcast", cdt::kTree, u32(0) + u32(kLeaf)}};
    }
    const Bytes bytes = file.bytes();
    char error[256] = "";
    colltree_decision* made =
        colltree_decision_use(bytes.data(), bytes.size(), error, sizeof error);
    ASSERT_NE(made, nullptr) << error;
    const colltree_origin origin = colltree_decision_origin(made);
    EXPECT_EQ(origin.provenance, one.origin[0]);
    EXPECT_EQ(origin.algorithms, one.origin[1]);
    EXPECT_EQ(origin.mpi, one.origin[2]);
    EXPECT_EQ(colltree_decision_is_portable(made), one.is_portable) << one.origin[1];
    colltree_decision_free(made);
  }
}

TEST(Decision, WhatIsWrongInTheFrameIsSaid) {
  struct Case {
    std::function<void(Bytes&)> spoil;
    const char* why;
  };
  const std::size_t size = tree_file().bytes().size();
  const Case cases[] = {
      {[](Bytes& f) { f.resize(cdt::kHeaderBytes - 1); }, "too short for a compact decision file"},
      {[](Bytes& f) { f[1] = 'X'; }, "not a compact decision file"},
      {header(cdt::kAtVersion, 2), "written by a newer colltree; update this one"},
      {header(cdt::kAtVersion, 0), "of an unknown version"},
      {header(cdt::kAtFileSize, size - 1), "truncated or with a tail"},
      {header(cdt::kAtStrings, cdt::kHeaderBytes - 1), "damaged: strings"},
      {header(cdt::kAtStrings, size + 1), "damaged: strings"},
      {header(cdt::kAtStringsSize, 0), "damaged: strings"},
      {header(cdt::kAtStringsSize, size), "damaged: strings"},
      {[](Bytes& f) { f.back() = 'x'; }, "damaged: strings do not end"},
      {part(cdt::kAtStrings, 0, "\x1b"), "damaged: control character in a name"},
      {header(cdt::kAtDescription, size), "damaged: description"},
      {header(cdt::kAtProvenance, size), "damaged: origin"},
      {header(cdt::kAtAlgorithms, size), "damaged: origin"},
      {header(cdt::kAtMpi, size), "damaged: origin"},
      {header(cdt::kAtMethodCount, 0), "damaged: methods"},
      {header(cdt::kAtMethodCount, 0x8000), "damaged: methods"},
      {header(cdt::kAtMethods, size), "damaged: methods"},
      {part(cdt::kAtMethods, 8, u32(size)), "damaged: method name"},
      {part(cdt::kAtMethods, 12, u32(1)), "damaged: method name"},
      {header(cdt::kAtRootCount, 0), "damaged: roots"},
      {header(cdt::kAtRootCount, 257), "damaged: roots"},
      {header(cdt::kAtRoots, size - 1), "damaged: roots"},
      {part(cdt::kAtRoots, 0, u32(size)), "damaged: root"},
      {part(cdt::kAtRoots, 8, u32(3)), "damaged: root"},
      {part(cdt::kAtRoots, 12, u32(size)), "damaged: root"},
      {part(cdt::kAtRoots, 4, u32(0)), "damaged: unknown form"},
      {part(cdt::kAtRoots, 4, u32(3)), "damaged: unknown form"},
  };
  for (const Case& one : cases) {
    const std::string said = refusal(tree_file().bytes(one.spoil));
    EXPECT_EQ(said, std::string("decision in memory: ") + one.why);
  }
  Bytes flipped = tree_file().bytes();
  flipped[cdt::kHeaderBytes] = static_cast<char>(flipped[cdt::kHeaderBytes] ^ 1);
  EXPECT_EQ(refusal(flipped), "decision in memory: damaged: the checksum does not match");
}

TEST(Decision, WhatIsWrongInATreeIsSaid) {
  struct Case {
    Bytes body;
    const char* why;
  };
  const Bytes leaves = node(kLeaf, kLeaf, 1, 0);
  const Case cases[] = {
      {u32(0x8000) + u32(0), "damaged: tree too large"},
      {u32(1) + u32(0), "damaged: tree cut off"},
      {u32(1) + u32(0) + leaves + "x", "damaged: tree cut off"},
      {"", "damaged: tree cut off"},
      {u32(1) + u32(1) + leaves, "damaged: tree root"},
      {u32(1) + u32(kLeaf + 3) + leaves, "damaged: tree root"},
      {u32(1) + u32(0x10000) + leaves, "damaged: tree root"},
      {u32(1) + u32(0) + node(0, kLeaf, 1, 0), "damaged: tree reference"},
      {u32(1) + u32(0) + node(kLeaf, 1, 1, 0), "damaged: tree reference"},
      {u32(1) + u32(0) + node(kLeaf, kLeaf + 3, 1, 0), "damaged: tree reference"},
      {u32(1) + u32(0) + node(kLeaf, kLeaf, 1, 6), "damaged: tree test"},
      {u32(1) + u32(0) + node(kLeaf, kLeaf, cdt::kMostValue, 0), "damaged: tree test"},
  };
  for (const Case& one : cases) {
    const File file{.roots = {{"bcast", cdt::kTree, one.body}}};
    EXPECT_EQ(refusal(file.bytes()), std::string("decision in memory: ") + one.why);
  }
  const File most{.roots = {{"bcast", cdt::kTree,
                             u32(1) + u32(0) + node(kLeaf, kLeaf + 1, cdt::kMostValue - 1, 0)}}};
  EXPECT_EQ(refusal(most.bytes()), "");
  File twice = tree_file();
  twice.roots.push_back(twice.roots[0]);
  EXPECT_EQ(refusal(twice.bytes()), "decision in memory: damaged: a collective twice");
}

TEST(Decision, WhatIsWrongInATableIsSaid) {
  struct Case {
    std::function<void(Bytes&)> spoil;  // of the table's own bytes
    const char* why;
  };
  const auto at = [](std::size_t offset, const Bytes& bytes) {
    return [=](Bytes& body) { body.replace(offset, bytes.size(), bytes); };
  };
  // Head 16, two axes of 24, thresholds of ranks 4 and padding, buckets of ranks (5 -> 16 bytes).
  constexpr std::size_t kFirstAxis = 16;
  constexpr std::size_t kThresholds = 64;
  constexpr std::size_t kBuckets = kThresholds + 16;
  const Case cases[] = {
      {at(0, u32(0)), "damaged: table"},
      {at(0, u32(7)), "damaged: table"},
      {at(4, u32(3)), "damaged: table"},
      {at(4, u32(0)), "damaged: table"},
      {at(12, u32(1)), "damaged: table"},
      {at(kFirstAxis, u32(6)), "damaged: table axis"},
      {at(kFirstAxis, u32(1)), "damaged: table axis"},  // the other axis's
      {at(kFirstAxis + 4, u32(9)), "damaged: table axis"},
      {at(kFirstAxis + 8, u32(0)), "damaged: table axis"},
      {at(kFirstAxis + 8, u32(66)), "damaged: table axis"},  // 64 bits fill 65
      {at(kFirstAxis + 12, u32(1 << 15)), "damaged: table axis"},
      {at(kFirstAxis + 12, u32(UINT32_MAX)), "damaged: table axis"},
      {at(kFirstAxis + 16, u32(2)), "damaged: table axis"},
      {at(kFirstAxis + 20, u32(1)), "damaged: table axis"},
      {at(kThresholds, u64(UINT64_MAX)), "damaged: table thresholds"},
      {at(kThresholds + 8, u64(5)), "damaged: table thresholds"},
      {at(kBuckets, u16(1)), "damaged: table buckets"},
      {at(kBuckets + 8, u16(0)), "damaged: table buckets"},
      {at(8, u32(5)), "damaged: table cells"},
      {[](Bytes& body) { body += '\0'; }, "damaged: table cells"},
      {[](Bytes& body) { body.pop_back(); }, "damaged: table cells"},
      {[](Bytes& body) { body.back() = 3; }, "damaged: table cell"},
      {[](Bytes& body) { body.resize(kBuckets); }, "damaged: table cut off"},
  };
  for (const Case& one : cases) {
    File file = table_file();
    one.spoil(file.roots[0].body);
    EXPECT_EQ(refusal(file.bytes()), std::string("decision in memory: ") + one.why);
  }
  // Two thresholds in one bucket, and a look-up that takes one step only.
  const Axis close{0, 0, {4, 5}, 1, {0, 0, 0, 0, 2}};
  const File probes{.roots = {{"bcast", cdt::kTable, table({close, kBytesAxis}, 3)}}};
  EXPECT_EQ(refusal(probes.bytes()), "decision in memory: damaged: table probes");
  const Axis falls{0, 0, {4, 4}, 2, {0, 0, 0, 0, 2}};
  const File equal{.roots = {{"bcast", cdt::kTable, table({falls, kBytesAxis}, 3)}}};
  EXPECT_EQ(refusal(equal.bytes()), "decision in memory: damaged: table thresholds");
}

TEST(Decision, ATableOfMoreCellsThanAFileCanHoldIsRefusedBeforeItIsRead) {
  Bytes body = u32(3) + u32(1) + u32(0) + u32(0);
  for (std::uint32_t a = 0; a < 3; ++a)
    body += u32(a) + u32(8) + u32(1) + u32((1 << 15) - 1) + u32(0) + u32(0);
  const File file{.roots = {{"bcast", cdt::kTable, body}}};
  EXPECT_EQ(refusal(file.bytes()), "decision in memory: damaged: table too large");
}

TEST(Buckets, AreInOrderWithoutGapsAndInverseToTheirBeginnings) {
  std::mt19937_64 random(7);
  for (std::uint32_t mantissa = 0; mantissa <= cdt::kMostMantissa; ++mantissa) {
    const std::uint32_t all = cdt::all_buckets(mantissa);
    EXPECT_EQ(all, (65 - mantissa) << mantissa);
    for (std::uint32_t bucket = 0; bucket < all; ++bucket) {
      const std::uint64_t begin = cdt::bucket_begin(bucket, mantissa);
      ASSERT_EQ(cdt::bucket_of(begin, mantissa), bucket) << mantissa;
      if (bucket > 0) {
        ASSERT_EQ(cdt::bucket_of(begin - 1, mantissa), bucket - 1) << mantissa;
      }
    }
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t value = random() >> (random() % 64);
      const std::uint32_t bucket = cdt::bucket_of(value, mantissa);
      ASSERT_LE(cdt::bucket_begin(bucket, mantissa), value);
      // No wider than its value in 2^mantissa parts.
      ASSERT_LE(value - cdt::bucket_begin(bucket, mantissa), value >> mantissa);
    }
  }
}

TEST(ControlBytes, AreThoseThatATerminalObeys) {
  struct Case {
    const char* text;
    std::uint32_t bytes;
  };
  for (const Case& one : {Case{"", 0},
                          {"a", 0},
                          {" ", 0},
                          {"\x1f", 1},
                          {"\x7f", 1},
                          {"\x01", 1},
                          {"\xc2\x80", 2},
                          {"\xc2\x9f", 2},
                          {"\xc2\xa0", 0},
                          {"\xc2", 0},
                          {"\xc3\x9f", 0}})
    EXPECT_EQ(cdt::control_bytes(reinterpret_cast<const unsigned char*>(one.text)), one.bytes);
}

}  // namespace
}  // namespace colltree::runtime
