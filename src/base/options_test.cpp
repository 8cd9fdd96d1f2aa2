// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

// A line with one command that has an option of each sort.
class Options : public ::testing::Test {
 protected:
  Options() {
    CommandLine& go = line_.add_subcommand("go", "goes");
    go.add("file", file_, "a file").required();
    go.add("more", more_, "more files");
    go.add("--title", title_, "text");
    go.add("--depth", depth_, {0, 9}, "levels").or_word("none");
    go.add("--folds", folds_, {2, 1000}, "parts").show_default();
    go.add("-c,--confidence", confidence_, {0, 100, true}, "percent").show_default();
    go.add("--mode", mode_, "how").one_of({"slow", "fast"}).show_default();
    go.add_size("--memory", memory_, {1, 1U << 30}, "bytes").show_default();
    go.add_sizes("--sizes", sizes_, {1, 1024}, "list").or_word("auto").show_default();
    go.add_percent("--within", within_, {0, 100}, "percent").show_default();
    go.add_flag("--json", json_, "JSON");
    go.add_output("-o,--output", output_, "the file to write");
    CommandLine& single = line_.add_subcommand("single", "takes one of a list");
    single.add("which", more_, "one file").required().once();
    go.set_work([this] { worked_ = true; });
  }

  // What is wrong with the line; "" when it worked.
  std::string trouble(std::vector<const char*> words) {
    words.insert(words.begin(), "prog");
    try {
      line_.run(static_cast<int>(words.size()), words.data());
    } catch (const UsageError& error) {
      return error.what();
    }
    return worked_ ? "" : "no work was done";
  }

  CommandLine line_{"prog", "a program", [] { return std::string("1.2"); }};
  std::string file_;
  std::vector<std::string> more_;
  std::optional<std::string> title_;
  std::optional<std::uint64_t> depth_ = 3;
  std::uint64_t folds_ = 5;
  float confidence_ = 25;
  std::string mode_ = "slow";
  std::uint64_t memory_ = 4096;
  SizeList sizes_{"1..8:x2"};
  double within_ = 0.001;
  bool json_ = false;
  std::string output_;
  bool worked_ = false;
};

TEST_F(Options, ValuesReachTheirTargets) {
  EXPECT_EQ(trouble({"go",   "f",         "a",   "b",        "--title", "T",     "--depth",
                     "none", "--folds=7", "-c",  "5",        "--mode",  "fast",  "--memory",
                     "64K",  "--sizes",   "3,1", "--within", "2%",      "--json"}),
            "");
  EXPECT_EQ(file_, "f");
  EXPECT_THAT(more_, ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(title_, "T");
  EXPECT_EQ(depth_, std::nullopt);
  EXPECT_EQ(folds_, 7U);
  EXPECT_EQ(confidence_, 5);
  EXPECT_EQ(mode_, "fast");
  EXPECT_EQ(memory_, 65536U);
  EXPECT_EQ(sizes_.text, "3,1");
  EXPECT_THAT(sizes_.sizes, ::testing::ElementsAre(1, 3));
  EXPECT_DOUBLE_EQ(within_, 0.02);
  EXPECT_TRUE(json_);
  EXPECT_EQ(line_.called(), "prog go");
}

TEST_F(Options, AWordStandsForNoList) {
  EXPECT_EQ(trouble({"go", "f", "--sizes", "auto"}), "");
  EXPECT_TRUE(sizes_.is_word());
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
    std::vector<const char*> words;
    const char* error;
  };
  const Case cases[] = {
      {{"go", "f", "--folds", "-1"}, "--folds: expected a whole number from 2 to 1000, got '-1'"},
      {{"go", "f", "--folds="}, "--folds: expected a whole number from 2 to 1000, got ''"},
      {{"go", "f", "--folds", "4", "--folds", "5"}, "--folds: given 2 times; give it once"},
      {{"go", "f", "--folds"}, "--folds: its value is missing"},
      {{"go", "f", "--depth", "10"},
       "--depth: expected a whole number from 0 to 9 or none, got '10'"},
      {{"go", "f", "-c", "nan"}, "--confidence: expected a number above 0, at most 100, got 'nan'"},
      {{"go", "f", "--mode", "fats"}, "--mode: expected slow or fast, got 'fats'"},
      {{"go", "f", "--memory", "2G"},
       "--memory: expected a size from 1 to 1G, such as 8, 64K or 2M, got '2G'"},
      {{"go", "f", "--sizes", "0"}, "--sizes: expected sizes from 1 to 1K, got 0 in '0'"},
      {{"go", "f", "--title", ""}, "--title: the value is empty; give one or leave it out"},
      {{"go", "f", "--title="}, "--title: the value is empty; give one or leave it out"},
      {{"go", ""}, "file: the value is empty; give one"},
      {{"go", "f", "a", ""}, "more: the value is empty; give one or leave it out"},
      {{"go", "f", "--json=maybe"}, "--json: expected no value, got 'maybe'"},
      {{"go", "f", "--titel", "x"}, "unknown option '--titel'; did you mean '--title'?"},
      {{"go", "--titel"}, "unknown option '--titel'; did you mean '--title'?"},
      {{"--title", "x", "go", "f"},
       "option '--title' stands before the command 'go'; give it behind"},
      {{"--json", "go", "f"}, "option '--json' stands before the command 'go'; give it behind"},
      {{"go", "f", "-o=made"},
       "--output: its value begins with '='; write '--output made', or '--output ./=made' for a "
       "file of that name"},
      {{"go", "f", "-o", "-"},
       "--output: '-' does not stand for standard output here; name a file"},
      {{"go", "--"}, "file is required"},
      {{"go"}, "file is required"},
      {{"single", "a", "b"}, "which: given 2 times; give it once"},
      {{"go", "f", "-o", "x", "--", "a", "--json"}, ""},
      {{"gone"}, "unknown command 'gone'; did you mean 'go'?"},
      {{}, "A subcommand is required"},
  };
  for (const Case& one : cases) {
    Fresh fresh_state;
    EXPECT_EQ(fresh_state.trouble(one.words), one.error);
  }
}

TEST_F(Options, AWordNamesAnOptionOrAnArgument) {
  CommandLine& stop = line_.add_subcommand("stop", "stops");
  stop.add("file", file_, "a file");
  stop.add("-t,--title", title_, "text");
  EXPECT_THROW(stop.add("--file", title_, "text"), std::logic_error);
  EXPECT_THROW(stop.add("title", file_, "a file"), std::logic_error);
  EXPECT_NO_THROW(stop.add("--files", more_, "the same name in 'go' is another"));
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
        trouble({"go", file.c_str(), "-o", output.c_str()}),
        "--output: " + output + " is the file that 'file' names (" + file + "); write another one");
    EXPECT_EQ(
        trouble({"go", other.c_str(), "more", file.c_str(), "-o", output.c_str()}),
        "--output: " + output + " is the file that 'more' names (" + file + "); write another one");
    EXPECT_FALSE(worked_);
  }
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    EXPECT_EQ(trouble({"go", file.c_str(), "-o", (link + ending).c_str()}),
              "--output: " + link + ending + " is a name that SQLite uses beside " + file +
                  "; write another one");
  }
  // Devices hold nothing that could be lost.
  EXPECT_EQ(trouble({"go", "/dev/null", "-o", "/dev/null"}), "");
  EXPECT_EQ(trouble({"go", file.c_str(), "-o", other.c_str()}), "");
}

// One of the two would be lost.
TEST_F(Options, TwoOutputsAreTwoFiles) {
  std::string also;
  CommandLine& two = line_.add_subcommand("both", "writes two");
  two.add_output("-o,--output", output_, "the file to write");
  two.add_output("--also", also, "the other file");
  two.set_work([this] { worked_ = true; });
  const std::string made = fresh_path("made").string();
  const std::string link = fresh_path("leads_to_made").string();
  const std::string around = fresh_path("made").parent_path().string() + "/./made";
  std::filesystem::create_symlink("made", link);
  for (const std::string& other : {made, link, around}) {
    EXPECT_EQ(trouble({"both", "-o", made.c_str(), "--also", other.c_str()}),
              "--output: " + made + " is the file that '--also' names (" + other +
                  "); write another one");
    EXPECT_FALSE(worked_);
  }
  EXPECT_EQ(trouble({"both", "-o", made.c_str(), "--also", (made + "2").c_str()}), "");
}

TEST_F(Options, HelpShowsBoundsAndDefaults) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(trouble({"go", "--help"}), "no work was done");
  const std::string help = ::testing::internal::GetCapturedStdout();
  for (const char* line :
       {"--folds UINT:2..1000=5", "--depth UINT:0..9|none", "-c,--confidence FLOAT:>0..100=25",
        "--mode TEXT:{slow,fast}=slow", "--memory SIZE=4K", "--sizes SIZES|auto=1..8:x2",
        "--within PERCENT=0.1%", "file TEXT REQUIRED"}) {
    EXPECT_THAT(help, ::testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace colltree
