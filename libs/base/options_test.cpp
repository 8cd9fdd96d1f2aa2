// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

// A program with one command that has every kind of option.
class Options : public ::testing::Test {
 protected:
  Options() {
    CLI::App& go = *program_->add_subcommand("go", "goes");
    go.add_option("file", file_, "a file")->required();
    go.add_option("more", more_, "more files");
    go.add_option("--title", title_, "text");
    go.add_option("--depth", depth_, "levels")->transform(whole_number({0, 9}, "none"));
    go.add_option("--folds", folds_, "parts")
        ->transform(whole_number({2, 1000}))
        ->capture_default_str();
    go.add_option("-c,--confidence", confidence_, "percent")
        ->transform(real_number<float>({0, 100, true}));
    go.add_option("--memory", memory_, "bytes")->transform(size_number({1, 1U << 30}));
    go.add_option("--sizes", sizes_, "list")->transform(size_list({1, 1024}, "auto"));
    go.add_option("--within", within_, "percent")->transform(percentage({0, 100}));
    go.add_flag("--json", json_, "JSON");
    go.add_option("-o,--output", output_, "the file to write")->check(output_file());
    go.callback([this] { worked_ = true; });
    program_->require_subcommand(1);
  }

  // Returns what the program says on standard error, "" when it worked.
  std::string trouble(const std::vector<std::string>& words) {
    worked_ = false;
    ::testing::internal::CaptureStderr();
    const int exit_code = run_program(*program_, words);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(exit_code, said.empty() ? 0 : 2);
    if (said.empty()) return worked_ ? "" : "no work was done";
    return said.substr(0, said.find('\n')).substr(std::string_view("prog: ").size());
  }

  std::unique_ptr<CLI::App> program_ =
      make_program("prog", "a program", [] { return std::string("1.2"); });
  std::string file_;
  std::vector<std::string> more_;
  std::optional<std::string> title_;
  std::optional<std::uint64_t> depth_ = 3;
  std::uint64_t folds_ = 5;
  float confidence_ = 25;
  std::uint64_t memory_ = 4096;
  SizeList sizes_{"1..8:x2"};
  double within_ = 0.001;
  bool json_ = false;
  std::string output_;
  bool worked_ = false;
};

TEST_F(Options, ValuesReachTheirTargets) {
  EXPECT_EQ(trouble({"go", "f", "a", "b", "--title", "T", "--depth", "none", "--folds=7", "-c", "5",
                     "--memory", "64K", "--sizes", "3,1", "--within", "2%", "--json"}),
            "");
  EXPECT_EQ(file_, "f");
  EXPECT_THAT(more_, ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(title_, "T");
  EXPECT_EQ(depth_, std::nullopt);
  EXPECT_EQ(folds_, 7U);
  EXPECT_EQ(confidence_, 5);
  EXPECT_EQ(memory_, 65536U);
  EXPECT_EQ(sizes_.text, "3,1");
  EXPECT_THAT(sizes_.sizes, ::testing::ElementsAre(1, 3));
  EXPECT_DOUBLE_EQ(within_, 0.02);
  EXPECT_TRUE(json_);
}

TEST_F(Options, AWordStandsForNoList) {
  EXPECT_EQ(trouble({"go", "f", "--sizes", "auto"}), "");
  EXPECT_TRUE(sizes_.is_auto());
  EXPECT_EQ(sizes_.text, "auto");
}

TEST_F(Options, WhatIsNotGivenKeepsItsValue) {
  EXPECT_EQ(trouble({"go", "f"}), "");
  EXPECT_EQ(depth_, 3U);
  EXPECT_EQ(folds_, 5U);
  EXPECT_EQ(title_, std::nullopt);
  EXPECT_FALSE(json_);
}

class Fresh : public Options {
 public:
  using Options::trouble;
  void TestBody() override {}
};

TEST_F(Options, EachMistakeIsNamedByItsDeclaration) {
  struct Case {
    std::vector<std::string> words;
    const char* error;
  };
  const Case cases[] = {
      {{"go", "f", "--folds", "-1"}, "--folds: expected a whole number from 2 to 1000, got '-1'"},
      {{"go", "f", "--folds="}, "--folds: the value is empty; give one or leave it out"},
      {{"go", "f", "--folds", "4", "--folds", "5"}, "--folds: At Most 1 required but received 2"},
      {{"go", "f", "--folds"}, "--folds: 1 required UINT:2..1000 missing"},
      {{"go", "f", "--depth", "10"},
       "--depth: expected a whole number from 0 to 9 or none, got '10'"},
      {{"go", "f", "-c", "nan"}, "--confidence: expected a number above 0, at most 100, got 'nan'"},
      {{"go", "f", "--memory", "2G"},
       "--memory: expected a size from 1 to 1G, such as 8, 64K or 2M, got '2G'"},
      {{"go", "f", "--sizes", "0"}, "--sizes: expected sizes from 1 to 1K, got 0 in '0'"},
      {{"go", "f", "--title", ""}, "--title: the value is empty; give one or leave it out"},
      {{"go", "f", "--title="}, "--title: the value is empty; give one or leave it out"},
      {{"go", ""}, "file: the value is empty; give one or leave it out"},
      {{"go", "f", "a", ""}, "more: the value is empty; give one or leave it out"},
      {{"go", "f", "--json=maybe"}, "Could not convert: --json = maybe"},
      {{"go", "f", "--titel", "x"}, "unknown option '--titel'; did you mean '--title'?"},
      {{"go", "--titel"}, "unknown option '--titel'; did you mean '--title'?"},
      {{"--title", "x", "go", "f"},
       "option '--title' stands before the command 'go'; give it behind"},
      {{"--json", "go", "f"}, "option '--json' stands before the command 'go'; give it behind"},
      {{"go", "f", "-o=made"},
       "--output: its value begins with '='; write 'made', or './=made' for a file of that name"},
      {{"go", "f", "-o", "-"},
       "--output: '-' does not stand for standard output here; name a file"},
      {{"go", "--"}, "file is required"},
      {{"go"}, "file is required"},
      {{"go", "f", "-o", "x", "--", "a", "--json"}, ""},
      {{"gone"}, "unknown command 'gone'; did you mean 'go'?"},
      {{}, "A subcommand is required"},
  };
  for (const Case& one : cases) {
    Fresh fresh_state;
    EXPECT_EQ(fresh_state.trouble(one.words), one.error);
  }
}

// CLI11 alone takes 010 for 8 and lets nan through.
TEST_F(Options, NumbersAreReadStrictly) {
  EXPECT_EQ(trouble({"go", "f", "--folds", "010"}), "");
  EXPECT_EQ(folds_, 10U);
  for (const char* bad : {"0x10", " 5", "+5", "18446744073709551617"}) {
    EXPECT_EQ(trouble({"go", "f", "--folds", bad}),
              std::string("--folds: expected a whole number from 2 to 1000, got '") + bad + "'");
  }
}

TEST_F(Options, AnOutputThatIsAnInputIsRefusedBeforeTheWork) {
  const std::string file = fresh_path("in").string();
  const std::string link = fresh_path("link").string();
  const std::string hard = fresh_path("hard").string();
  const std::string other = fresh_path("other").string();
  write_file(file, "kept");
  write_file(other, "kept");
  std::filesystem::create_symlink(file, link);
  std::filesystem::create_hard_link(file, hard);
  for (const std::string& output : {file, link, hard}) {
    EXPECT_EQ(
        trouble({"go", file, "-o", output}),
        "--output: " + output + " is the file that 'file' names (" + file + "); write another one");
    EXPECT_EQ(
        trouble({"go", other, "more", file, "-o", output}),
        "--output: " + output + " is the file that 'more' names (" + file + "); write another one");
    EXPECT_FALSE(worked_);
  }
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    EXPECT_EQ(trouble({"go", file, "-o", link + ending}),
              "--output: " + link + ending + " is a name that SQLite uses beside " + file +
                  "; write another one");
  }
  // Devices hold nothing that could be lost.
  EXPECT_EQ(trouble({"go", "/dev/null", "-o", "/dev/null"}), "");
  EXPECT_EQ(trouble({"go", file, "-o", other}), "");
}

// One of the two would be lost.
TEST_F(Options, TwoOutputsAreTwoFiles) {
  std::string also;
  CLI::App& two = *program_->add_subcommand("both", "writes two");
  two.add_option("-o,--output", output_, "the file to write")->check(output_file());
  two.add_option("--also", also, "the other file")->check(output_file());
  two.callback([this] { worked_ = true; });
  const std::string made = fresh_path("made").string();
  const std::string link = fresh_path("leads_to_made").string();
  const std::string around = fresh_path("made").parent_path().string() + "/./made";
  std::filesystem::create_symlink("made", link);
  for (const std::string& other : {made, link, around}) {
    EXPECT_EQ(trouble({"both", "-o", made, "--also", other}),
              "--output: " + made + " is the file that '--also' names (" + other +
                  "); write another one");
    EXPECT_FALSE(worked_);
  }
  EXPECT_EQ(trouble({"both", "-o", made, "--also", made + "2"}), "");
}

TEST_F(Options, HelpShowsBoundsAndDefaults) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(trouble({"go", "--help"}), "no work was done");
  const std::string help = ::testing::internal::GetCapturedStdout();
  for (const char* line :
       {"--folds UINT:2..1000", "--depth UINT:0..9|none", "-c,--confidence FLOAT:>0..100",
        "--memory UINT:SIZE", "--sizes TEXT:SIZES|auto", "--within FLOAT:PERCENT",
        "file TEXT REQUIRED"}) {
    EXPECT_THAT(help, ::testing::HasSubstr(line));
  }
}

TEST(Help, DividesGroupsByOneBlankLine) {
  const auto program = make_program("p", "summary", [] { return "1"; });
  bool flag = false;
  program->add_flag("--first", flag)->group("One");
  program->add_flag("--second", flag)->group("Another");
  EXPECT_THAT(program->help(), ::testing::HasSubstr("\n\nAnother:\n"));
  EXPECT_THAT(program->help(), ::testing::Not(::testing::HasSubstr("\n\n\n")));
}

TEST(HelpRow, IsWrappedBehindItsName) {
  EXPECT_EQ(help_row("leaves=10", "most"), "  leaves=10                   most\n");
  const std::string words = std::string(34, 'a') + " " + std::string(34, 'b');
  EXPECT_EQ(help_row("x", words + " c"),
            "  x" + std::string(27, ' ') + words + "\n" + std::string(30, ' ') + "c\n");
}

}  // namespace
}  // namespace colltree
