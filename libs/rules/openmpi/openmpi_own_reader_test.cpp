// SPDX-License-Identifier: BSD-3-Clause
// Our reader and look-up against Open MPI's own, loaded in this process, without a job: from its
// component coll/tuned, or from the library itself, which holds it since 5.0. Skipped where the
// library or the symbols are not there.
#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/test_sample.h"
#include "base/test_scratch.h"
#include "rules/openmpi/openmpi_methods.h"
#include "rules/rule_set.h"
#include "rules/rule_target.h"
#include "rules/test_rules.h"

// Of the leak checker, where the test is built with it.
extern "C" {
void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));
}

namespace colltree::rules {
namespace {

struct WithoutLeakCheck {
  WithoutLeakCheck() {
    if (__lsan_disable != nullptr) __lsan_disable();
  }
  ~WithoutLeakCheck() {
    if (__lsan_enable != nullptr) __lsan_enable();
  }
};

// ompi_coll_alg_rule_t and what hangs on it stay opaque: the library's own functions read them.
class OwnReader {
 public:
  OwnReader() {
    const char* const component =
        "/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_coll_tuned.so";
    void* const library = ::dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    handle_ = ::dlopen(component, RTLD_NOW);
    if (handle_ == nullptr) handle_ = library;
    if (handle_ == nullptr) return;
    get(read_, "ompi_coll_tuned_read_rules_config_file");
    get(communicator_rule_, "ompi_coll_tuned_get_com_rule_ptr");
    get(parameters_, "ompi_coll_tuned_get_target_method_params");
  }

  bool usable() const {
    return read_ != nullptr && communicator_rule_ != nullptr && parameters_ != nullptr;
  }

  // False: the library drops the file.
  bool read(const std::string& text) {
    const auto path = fresh_path("own_reader.rules");
    write_file(path, text);
    std::string name = path.string();
    rules_ = nullptr;
    // Of a collective twice, and of a file that it drops, the library forgets what it has read.
    const WithoutLeakCheck unchecked;
    const int count = read_(name.data(), &rules_, kOpenmpiCollectives);
    std::filesystem::remove(path);
    // The library frees its rules when its component closes, which never opened here.
    static auto& kept = *new std::vector<void*>;
    if (count >= 0) kept.push_back(rules_);
    return count >= 0;
  }

  OpenmpiColumns ask(int collective, int ranks, std::size_t bytes) const {
    void* const rule = communicator_rule_(rules_, collective, ranks);
    if (rule == nullptr) return {};
    int fanout = 0;
    int segment = 0;
    int requests = 0;
    const int algorithm = parameters_(rule, bytes, &fanout, &segment, &requests);
    return {static_cast<std::uint64_t>(algorithm), static_cast<std::uint64_t>(fanout),
            static_cast<std::uint64_t>(segment), 0};
  }

 private:
  template <typename Function>
  void get(Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(::dlsym(handle_, symbol));
  }

  void* handle_ = nullptr;
  void* rules_ = nullptr;
  int (*read_)(char*, void**, int) = nullptr;
  void* (*communicator_rule_)(void*, int, int) = nullptr;
  int (*parameters_)(void*, std::size_t, int*, int*, int*) = nullptr;
};

std::string text_of(const OpenmpiColumns& columns) {
  return fmt::format("{} {} {}", columns.algorithm, columns.fanout, columns.segment_size);
}

// Every communicator size and message size at, below and above a threshold, and far beyond.
std::vector<std::uint64_t> around(const std::set<std::uint64_t>& values, std::uint64_t most) {
  std::set<std::uint64_t> all = {0, 1, 2, 3, most};
  for (const std::uint64_t value : values) testing::add_around(all, value);
  std::erase_if(all, [&](std::uint64_t value) { return value > most; });
  return {all.begin(), all.end()};
}

// Asks at the communicator sizes and message sizes of each row; in long files, of every n-th row.
std::size_t compare(const OwnReader& own, const CollectiveRules& rules) {
  const std::vector<RuleRow> rows = rows_of(rules);
  const std::size_t step = rows.size() / 40 + 1;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    std::set<std::uint64_t> bytes;
    for (const Rule& rule : rows[i]) bytes.insert(rule.message.least);
    for (const std::uint64_t p : around({rows[i][0].communicator_size.least}, INT32_MAX)) {
      for (const std::uint64_t m : around(bytes, INT64_MAX)) {
        const Method method = decide(rules, {{.communicator_size = p, .message_size = m}});
        const OpenmpiColumns ours = openmpi_columns(rules.collective, method);
        const OpenmpiColumns theirs =
            own.ask(*openmpi_collective_id(rules.collective), static_cast<int>(p), m);
        if (text_of(ours) != text_of(theirs)) {
          ADD_FAILURE() << name(rules.collective) << ' ' << p << " ranks " << m << ": "
                        << text_of(ours) << ", Open MPI " << text_of(theirs);
          return asked;
        }
        ++asked;
      }
    }
  }
  return asked;
}

TEST(OpenmpiOwnReader, AnswersAsOurs) {
  OwnReader own;
  if (!own.usable()) GTEST_SKIP() << "no mca_coll_tuned.so with its reader here";
  const RuleTarget& target = find_rule_target("openmpi-4.1");
  testing::Random random(414);
  std::size_t asked = 0;
  for (const CollectiveInfo& info : all_collectives()) {
    if (!target.size_key(info.collective)) continue;
    for (int round = 0; round < 20; ++round) {
      const std::string text = testing::random_file(random, target, info.collective);
      const RuleFile file = target.read(text);
      ASSERT_TRUE(own.read(text)) << text;
      ASSERT_EQ(file.rules.collectives.size(), 1U) << text;
      asked += compare(own, file.rules.collectives[0]);
      ASSERT_FALSE(HasFailure()) << text;
    }
  }
  EXPECT_GT(asked, 20000U);
  RecordProperty("queries", static_cast<int>(asked));
  fmt::print("proof openmpi-4.1 parsed: its coll/tuned: {} queries\n", asked);
}

// What sites write, and what can stand in a file by mistake: FILE, then what each must be.
struct OddFile {
  const char* text;
  bool dropped;
};
constexpr OddFile kOddFiles[] = {
    {"1 7 1 2 1 1024 6 0 0\n", true},
    {"1 7 1 2 2 0 6 0 0\n", true},
    {"1 22 1 2 1 0 6 0 0\n", true},
    {"1 7 1 -2 1 0 6 0 0\n", true},
    {"-1\n", true},
    {"1 7 1 2 1 0 6 0\n", true},
    {"", true},
    {"23 7 1 2 1 0 6 0 0", true},
    {"1 7 -1\n", true},
    {"1 7 1 4 -1\n", true},
    {"1 7 1 2 1 0 6 0 -1", true},
    {"1 7 1 2 1 0 -6 0 0", true},
    {"1 7 1 2 1 0 6 0 -0x5", true},
    {"1 7 1 2 1 0 6 0 -99999999999999999999", true},
    {"rule-file-version-2\n1 7 1 2 1 0 6 0 0", true},
    {"{ \"rule_file_version\": 3, \"collectives\": {} }", true},
    {"1 7 4294967297 0 1 0 6 0 0", true},
    {"0\n", false},
    {"1\n7\n0\n", false},
    {"1 7 1 4 0\n", false},
    {"1 7 2 2 1 0 6 0 0 16 0\n", false},
    {"1\n7 # bcast\n2\n16\n1\n0 6 0 0\n5\n1\n0 1 0 0\n", false},
    {"1 7 4 2 1 0 6 0 0 16 1 0 1 0 0 4 1 0 5 0 0 32 1 0 3 0 0", false},
    {"1 7 2 0 1 0 6 0 0 0 1 0 5 0 0", false},
    {"1\n7\n1\n0\n3\n0 6 0 0\n8192 3 0 0\n1024 1 0 0\n", false},
    {"1 7 1 0 3 0 6 0 0 0 5 0 0 0 1 0 0", false},
    {"1 7 1 0 5 0 6 0 0 1024 5 0 0 512 1 0 0 1024 3 0 0 4096 6 0 0", false},
    {"2 7 1 0 1 0 3 0 0 7 1 0 1 0 6 0 0", false},
    {"2 7 1 0 1 0 3 0 0 7 0", false},
    {"1\n7\n1\n0\n1\n0@x 3 0 0\n", false},
    {"1 7 1 0 2 0 3 0 0 64K 5 0 0", false},
    {"1 bcast:7 1 0 1 0, 6, 0, 0", false},
    {"1 7 1 0 1 0 6 0 1.5", false},
    {"1 7 1 0 1 0 --6 0 +-5", false},
    {"1 7 1 0 1 0 6 -#5\n 0 7", false},
    {"1 7 1 0 1 0 6 - 0 -a7", false},
    {"1 7 1 0 1 0 0x6 00x11 010", false},
    {"1 7 1 0 1 0 3 0 0xg", false},
    {"1 7 1 0 1 0 08 0 0 0", false},
    {"1 # c\n7#x 9\n1 0 1 0 3 0 0", false},
    {"1 7 1 0 1 0 6\n0\n0", false},
    {"1 7 1 0 2 0 6 0 0 0 5 0 0", false},
    {"1 7 1 0 1 0 99 0 0", false},
    {"2 0 1 0 1 0 99 0 0 7 1 0 1 0 6 0 0", false},
    {"1 7 2 0 1 0 6 0 0 4294967300 1 0 3 0 0", false},
    {"1 7 1 0 1 0 4294967302 4294967303 4294967304", false},
    {"1 7 1 0 1 0 6 0 99999999999999999999", false},
    {"1 7 1 0 2 0 3 0 0 99999999999999999999 5 0 0", false},
    {"1 7 1 0 1 0 3 0 0 end of the file", false},
    {"1 17 1 0 1 0 3 0 0", false},
};

// A method as our reader has it: what has no effect is not compared.
std::string meant(const RuleTarget& target, Collective collective, OpenmpiColumns columns) {
  columns.fanout = static_cast<std::uint64_t>(
      std::max<std::int64_t>(static_cast<std::int64_t>(columns.fanout), 0));
  columns.segment_size = static_cast<std::uint32_t>(columns.segment_size);
  std::vector<std::string> problems;
  const auto method = openmpi_method(target, collective, columns, problems);
  return method ? method->name()
                : fmt::format("algorithm_{}", static_cast<std::uint32_t>(columns.algorithm));
}

// What differs between our reading of a file and the library's; "": nothing.
std::string difference(OwnReader& own, const RuleTarget& target, const std::string& text) {
  const RuleFile file = target.read(text);
  const bool dropped = std::ranges::any_of(
      file.defects, [](const Defect& one) { return one.severity == Severity::kError; });
  if (own.read(text) == dropped)
    return dropped ? "dropped by ours only" : "dropped by the library only";
  if (dropped) return file.rules.collectives.empty() ? "" : "rules of a dropped file";
  constexpr std::uint64_t kSizes[] = {0,    1,    63,   64,   511,  512,
                                      1023, 1024, 4096, 8191, 8192, 1U << 30};
  for (const CollectiveInfo& info : all_collectives()) {
    const CollectiveRules* rules = file.rules.find(info.collective);
    if (rules == nullptr && info.collective != Collective::kBcast) continue;
    for (const int ranks : {1, 2, 3, 4, 5, 8, 15, 16, 31, 32, 1000, INT32_MAX}) {
      for (const std::uint64_t bytes : kSizes) {
        const Method ours =
            rules == nullptr
                ? library_default()
                : decide(*rules, {{.communicator_size = static_cast<std::uint64_t>(ranks),
                                   .message_size = bytes}});
        const std::string theirs =
            meant(target, info.collective,
                  own.ask(*openmpi_collective_id(info.collective), ranks, bytes));
        if (ours.name() != theirs)
          return fmt::format("{} {} ranks {}: {}, Open MPI {}", info.name, ranks, bytes,
                             ours.name(), theirs);
      }
    }
  }
  return "";
}

TEST(OpenmpiOwnReader, TakesAndDropsWhatOursDoes) {
  OwnReader own;
  if (!own.usable()) GTEST_SKIP() << "no mca_coll_tuned.so with its reader here";
  const RuleTarget& target = find_rule_target("openmpi-4.1");
  for (const OddFile& one : kOddFiles) {
    EXPECT_EQ(difference(own, target, one.text), "") << one.text;
    EXPECT_EQ(own.read(one.text), !one.dropped) << one.text;
  }
}

// Skipped a character at a time, but looked at once: this would take hours otherwise.
TEST(OpenmpiText, SkipsAWordOfMegabytes) {
  const RuleTarget& target = find_rule_target("openmpi-4.1");
  const std::string word(4000000, 'a');
  const RuleFile file = target.read(word + " 1 7 1 0 1 0 6 0 0 " + word);
  ASSERT_NE(file.rules.find(Collective::kBcast), nullptr);
  ASSERT_EQ(file.defects.size(), 2U);
  EXPECT_EQ(file.defects[1].text, "'" + word.substr(0, 60) + "...' is skipped");
}

// Files of a few numbers, most of them near what is legal, with what can go wrong in each.
std::string odd_file(testing::Random& random) {
  constexpr const char* kNumbers[] = {"0", "0", "0", "1", "1",  "2",
                                      "7", "7", "3", "6", "16", "1024"};
  constexpr const char* kOdd[] = {"512",  "-1", "0x10",   "010", "64K", "0@x",  "a7", "1.5",
                                  "#c\n", "+4", "--2",    "-",   "x",   "22",   "99", "4294967303",
                                  "\n",   "1,", "07#8\n", "-+0", "00",  "8192", "0x", "{"};
  std::string text = "1 7 ";
  const std::size_t count = 4 + random() % 24;
  for (std::size_t i = 0; i < count; ++i) {
    text += random() % 8 == 0 ? kOdd[random() % std::size(kOdd)]
                              : kNumbers[random() % std::size(kNumbers)];
    text += random() % 6 == 0 ? "\n" : " ";
  }
  return text;
}

// A file that the library takes says the same when it is written again, also with mistakes in it.
std::string said_again(const RuleTarget& target, const std::string& text) {
  return target.write(target.read(text).rules, "again");
}

TEST(OpenmpiOwnReader, AnswersAsOursOnOddFiles) {
  OwnReader own;
  if (!own.usable()) GTEST_SKIP() << "no mca_coll_tuned.so with its reader here";
  const RuleTarget& target = find_rule_target("openmpi-4.1");
  std::size_t taken = 0;
  const std::vector<std::size_t> rounds = testing::sampled(300);
  for (const std::size_t round : rounds) {
    testing::Random random(round);
    const std::string text = odd_file(random);
    ASSERT_EQ(difference(own, target, text), "") << text;
    if (!own.read(text)) continue;
    ++taken;
    const std::string again = said_again(target, text);
    EXPECT_EQ(said_again(target, again), again) << text;
    for (const int ranks : {1, 3, 16}) {
      for (const std::uint64_t bytes : {0, 7, 1024}) {
        own.read(text);
        const OpenmpiColumns before = own.ask(7, ranks, bytes);
        own.read(again);
        EXPECT_EQ(meant(target, Collective::kBcast, own.ask(7, ranks, bytes)),
                  meant(target, Collective::kBcast, before))
            << text;
      }
    }
  }
  EXPECT_GT(taken, rounds.size() / 10);
}

}  // namespace
}  // namespace colltree::rules
