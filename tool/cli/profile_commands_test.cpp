// SPDX-License-Identifier: BSD-3-Clause
// import, export, merge, show, map, evaluate and compare from the command line.
#include <gmock/gmock.h>

#include <functional>

#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_run.h"
#include "model/model.h"
#include "profile/csv.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string data(const std::string& name) {
  return colltree::testing::data_dir().string() + "/" + name + ".csv.gz";
}

const std::string kRows = std::string(profile::kCsvHeader) +
                          "\ns,m,bcast,2,,,8,linear,,,1\ns,m,bcast,2,,,8,tree,,,2\n"
                          "s,m,bcast,4,,,8,linear,,,4\ns,m,bcast,4,,,8,tree,,,2\n"
                          "s,m,bcast,4,,,8,default,,,3\n";

struct Files {
  std::string csv = fresh_path("F.csv").string();
  std::string db = fresh_path("P.db").string();
  std::string out = fresh_path("out").string();
};

Files imported_rows() {
  Files files;
  write_file(files.csv, kRows);
  const Outcome outcome = colltree_run({"import", files.csv, "-o", files.db});
  EXPECT_EQ(outcome.out, files.csv + ": 5 rows of s -> " + files.db + "\n");
  return files;
}

TEST(ProfileCommands, ImportTwiceThenExport) {
  const Files files = imported_rows();
  EXPECT_THAT(colltree_run({"import", files.csv, "-o", files.db}).out,
              HasSubstr("nothing changed: these timings are there already"));
  EXPECT_EQ(colltree_run({"export", files.db, "-o", files.out}).exit_code, 0);
  EXPECT_EQ(colltree_run({"export", files.db, "-o", "-"}).out, read_file(files.out));
  EXPECT_THAT(read_file(files.out), HasSubstr("\ns,m,bcast,4,,,8,default,,,3\n"));
  EXPECT_THAT(colltree_run({"show", files.db}).out,
              HasSubstr("  bcast: 2 instances, 2 methods and the default; cells: 5 ok, 0 failed, 0 "
                        "cannot run; 5 samples\n"));
}

TEST(ProfileCommands, AProfileIsNotOverwrittenByWhatIsMadeFromIt) {
  const Files files = imported_rows();
  const std::string before = read_file(files.db);
  const std::string link = fresh_path("link.db").string();
  std::filesystem::create_symlink(files.db, link);
  const std::vector<std::vector<std::string>> lines = {
      {"export", files.db},
      {"import", files.csv, files.db},
      {"import", files.db},
      {"show", files.db, "--map", "--collective", "bcast"},
      {"fit", "quadtree", files.db, "--collective", "bcast"},
      {"report", files.db},
  };
  for (const std::vector<std::string>& line : lines) {
    for (const std::string& output : {files.db, link}) {
      std::vector<std::string> words = line;
      words.insert(words.end(), {"-o", output});
      const Outcome outcome = colltree_run(words);
      EXPECT_EQ(outcome.exit_code, 2) << line.front();
      EXPECT_THAT(outcome.err, HasSubstr("(" + files.db + "); write another one"));
    }
  }
  EXPECT_EQ(read_file(files.db), before);
}

// So that a new command cannot forget it.
TEST(ProfileCommands, EveryOutputFileIsDeclaredAsOne) {
  const auto root = whole_program();
  const std::function<void(const CLI::App&)> check = [&](const CLI::App& app) {
    for (const CLI::App* sub : app.get_subcommands({})) check(*sub);
    const CLI::Option* output = app.get_option_no_throw("--output");
    if (output != nullptr && app.get_name() != "tune") {
      EXPECT_EQ(output->get_type_name(), "TEXT:FILE") << app.get_name();
    }
  };
  check(*root);
}

TEST(ProfileCommands, ImportReportsTotals) {
  const std::string db = fresh_path("mare.db");
  const std::string file = data("marenostrum5_openmpi_8coll");
  const Outcome outcome = colltree_run({"import", file, "--message-sizes", "total", "-o", db});
  EXPECT_EQ(outcome.out,
            file + ": 850 rows of marenostrum5 -> " + db +
                "\n  in 288 rows the total was divided into blocks of one rank; 32 of them left a "
                "remainder and were rounded down\n");
  EXPECT_THAT(colltree_run({"import", "--help"}).out, HasSubstr("block of one rank"));
  const Outcome blocks = colltree_run({"import", file, "-o", fresh_path("blocks.db")});
  EXPECT_THAT(
      blocks.out,
      HasSubstr("\n  in 288 rows msg_bytes was taken as the block of one rank; if it is the "
                "whole buffer, import them anew with --message-sizes total\n"));
}

TEST(ProfileCommands, ShowTellsOfTheCollectivesAskedFor) {
  const Files files = imported_rows();
  const Outcome all = colltree_run({"show", files.db});
  EXPECT_THAT(all.out, HasSubstr("\n  bcast: "));
  EXPECT_EQ(colltree_run({"show", files.db, "--collective", "bcast"}).out, all.out);
  EXPECT_EQ(colltree_run({"show", files.db, "--collective", "scan"}).err,
            "colltree: " + files.db + ": has no timings of scan\n");
}

TEST(ProfileCommands, FitTakesTheTimesThatCompareTakes) {
  const Files files;
  write_file(files.csv, kRows + "s,m,bcast,4,,,8,linear,,,9\ns,m,bcast,4,,,8,linear,,,20\n");
  colltree_run({"import", files.csv, "-o", files.db});
  const auto fit = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"fit",   "quadtree", files.db, "--collective",
                                        "bcast", "-o",       files.out};
    command.insert(command.end(), more.begin(), more.end());
    return colltree_run(command);
  };
  EXPECT_EQ(fit({"--time", "mean"}).err, "");
  const std::string by_mean = read_file(files.out);
  EXPECT_EQ(fit({"--time", "minimum", "--external"}).err, "");
  EXPECT_NE(read_file(files.out), by_mean);  // the origin names other timings
}

TEST(ProfileCommands, AFailedImportLeavesNoProfile) {
  const Files files;
  write_file(files.csv, kRows + "s,m,bcats,4,,,8,default,,,3\n");
  const Outcome outcome = colltree_run({"import", files.csv, "-o", files.db});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "colltree: " + files.csv + ":7: unknown collective 'bcats'; did you mean 'bcast'?\n");
  EXPECT_FALSE(std::filesystem::exists(files.db));
  EXPECT_EQ(colltree_run({"import", files.csv, "-o", "/no/such/P.db"}).err,
            "colltree: /no/such/P.db: cannot write: no such directory; make it first or name "
            "another file\n");
}

TEST(ProfileCommands, MergeAndImportOfAProfileAreTheSame) {
  const Files files = imported_rows();
  const std::string other_csv = fresh_path("G.csv");
  const std::string other = fresh_path("Q.db");
  const std::string merged = fresh_path("M.db");
  write_file(other_csv, std::string(profile::kCsvHeader) + "\ns,m,bcast,8,,,8,linear,,,1\n");
  colltree_run({"import", other_csv, "-o", other});
  EXPECT_EQ(colltree_run({"import", files.db, other, "-o", merged}).exit_code, 0);
  EXPECT_EQ(colltree_run({"import", files.db, "-o", other}).out,
            files.db + ": merged into " + other + "\n");
  const std::string csv = colltree_run({"export", merged, "-o", "-"}).out;
  EXPECT_EQ(csv, colltree_run({"export", other, "-o", "-"}).out);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 5 + 1);
  EXPECT_EQ(colltree_run({"import", files.db, "/no/such.db", "-o", files.out}).err,
            "colltree: /no/such.db: cannot open: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(files.out));
}

TEST(ProfileCommands, Map) {
  const Files files = imported_rows();
  const Outcome outcome =
      colltree_run({"show", files.db, "--map", "--collective", "bcast", "-o", files.out});
  EXPECT_EQ(outcome.out,
            "bcast on s (imported): best methods\n"
            "        8\n"
            "     2  A\n"
            "     4  B\n"
            "  A  linear                        1 cells  50.0 %\n"
            "  B  tree                          1 cells  50.0 %\n");
  EXPECT_THAT(read_file(files.out), HasSubstr("bcast,4,8,tree,tree,,measured,2\n"));
  const auto json = Json::parse(colltree_run({"show", files.db, "--map", "--json"}).out);
  EXPECT_EQ(json["maps"][0]["cells"][1]["method"], "tree");
  EXPECT_EQ(colltree_run({"show", files.db, "--map", "--collective", "reduce"}).err,
            "colltree: " + files.db + ": has no timings of reduce on s\n");
  EXPECT_EQ(colltree_run({"show", files.db, "--map", "--time", "modus"}).exit_code, 2);
}

TEST(ProfileCommands, SeveralSystemsAreAskedFor) {
  const std::string db = fresh_path("orfeo.db");
  colltree_run({"import", data("orfeo_epyc_openmpi_bcast_reduce"), "-o", db});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", db, "--map"}, {"evaluate", "compare", db}}) {
    EXPECT_EQ(colltree_run(words).err,
              "colltree: " + db +
                  ": holds several systems (orfeo-epyc-core, orfeo-epyc-node); choose one with "
                  "--system NAME\n");
  }
  const Outcome outcome =
      colltree_run({"evaluate", "compare", db, "--system", "orfeo-epyc-node", "--collective",
                    "bcast", "--held-out", "none", "--fit", "c45"});
  EXPECT_THAT(outcome.out, StartsWith("orfeo-epyc-node (imported, openmpi-4.1.5)\n"
                                      "bcast: penalty in % over 1344 instances\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  default (openmpi-4.1.5)        -    69.7     "
                                     "65.8..73.9      0    69.7    407\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  best fixed (binomial)          -     7.6       "
                                     "6.6..8.7      0     7.6    187\n"));
}

// Always asks for "tree" up to 2 ranks and "linear" above: wrong everywhere.
std::string wrong_model(std::uint64_t training_points) {
  model::RuleTree tree;
  tree.methods = {{"tree", std::nullopt}, {"linear", std::nullopt}};
  tree.roots = {{Collective::kBcast, 0}};
  tree.nodes = {{.attribute = Attribute::kCommunicatorSize, .threshold = 2, .low = 1, .high = 2},
                {.method = 0},
                {.method = 1}};
  const std::string path = fresh_path("M.json");
  model::save_model(
      model::rules_model({"s", "imported", {Collective::kBcast}, training_points}, tree), path);
  return path;
}

TEST(ProfileCommands, EvaluateAModel) {
  const Files files = imported_rows();
  const std::string model = wrong_model(2);
  EXPECT_THAT(colltree_run({"evaluate", model, "--on", files.db}).out,
              StartsWith(model + " (rules) on s (imported), training grid\n"));
  const Outcome outcome = colltree_run({"evaluate", wrong_model(9), "--on", files.db, "--json"});
  const auto json = Json::parse(outcome.out);
  EXPECT_EQ(json["points"], "other timings of its system");
  EXPECT_EQ(json["performance_penalty"]["mean"], 1.0);
  EXPECT_EQ(json["performance_penalty"]["share_above_50"], 1.0);
  EXPECT_EQ(json["collectives"][0]["choosers"][0]["chooser"], "default");
  EXPECT_EQ(json["collectives"][0]["choosers"][0]["performance_penalty"]["mean"], 0.5);
  EXPECT_TRUE(json["cannot_run"].empty());
  EXPECT_THAT(colltree_run({"evaluate", "compare", files.db, model}).out,
              HasSubstr("M.json (rules)"));
}

TEST(ProfileCommands, EvaluateOnWhatTheModelDoesNotKnow) {
  const std::string csv = fresh_path("R.csv");
  const std::string db = fresh_path("R.db");
  write_file(csv, std::string(profile::kCsvHeader) + "\ns,m,reduce,8,,,8,linear,,,1\n");
  colltree_run({"import", csv, "-o", db});
  const std::string model = wrong_model(2);
  EXPECT_EQ(colltree_run({"evaluate", model, "--on", db}).err,
            "colltree: " + model +
                ": decides for bcast only, which is not among the timings asked for\n");
}

}  // namespace
}  // namespace colltree::cli
