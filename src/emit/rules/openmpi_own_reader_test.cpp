// SPDX-License-Identifier: BSD-3-Clause
// Our reader and look-up against Open MPI's own, loaded in this process, without a job: from its
// component coll/tuned, or from the library itself, which holds it since 5.0. Skipped where the
// library or the symbols are not there.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_scratch.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/random_rules.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/rule_target.h"

namespace colltree {
namespace {

using testing::pick;

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

// Of each row its communicator sizes and its message sizes; of long files every n-th row.
std::size_t compare(const OwnReader& own, const CollectiveRules& rules) {
  const std::vector<RuleRow> rows = rows_of(rules);
  const std::size_t step = rows.size() / 40 + 1;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    std::set<std::uint64_t> bytes;
    for (const Rule& rule : rows[i]) bytes.insert(rule.message.least);
    for (const std::uint64_t p : around({rows[i][0].communicator_size.least}, INT32_MAX)) {
      for (const std::uint64_t m : around(bytes, INT64_MAX)) {
        const Method method = decide(rules, {.communicator_size = p, .message = m});
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
      const RuleFile file = target.read(target, text);
      ASSERT_TRUE(own.read(text)) << text;
      ASSERT_EQ(file.rules.collectives.size(), 1U) << text;
      asked += compare(own, file.rules.collectives[0]);
      ASSERT_FALSE(HasFailure()) << text;
    }
  }
  EXPECT_GT(asked, 20000U);
  RecordProperty("queries", static_cast<int>(asked));
  fmt::print("{} queries\n", asked);
}

// Whole files that the library drops: our reader must say so and have no rule.
TEST(OpenmpiOwnReader, DropsWhatOursDrops) {
  OwnReader own;
  if (!own.usable()) GTEST_SKIP() << "no mca_coll_tuned.so with its reader here";
  const RuleTarget& target = find_rule_target("openmpi-4.1");
  for (const char* text : {"1 7 1 2 1 1024 6 0 0\n", "1 7 1 2 2 0 6 0 0\n", "1 22 1 2 1 0 6 0 0\n",
                           "1 7 1 -2 1 0 6 0 0\n", "-1\n", "1 7 1 2 1 0 6 0\n"}) {
    EXPECT_FALSE(own.read(text)) << text;
    const RuleFile file = target.read(target, text);
    EXPECT_TRUE(file.rules.collectives.empty()) << text;
    ASSERT_FALSE(file.defects.empty()) << text;
    EXPECT_EQ(file.defects.back().severity, Severity::kError) << text;
  }
}

}  // namespace
}  // namespace colltree
