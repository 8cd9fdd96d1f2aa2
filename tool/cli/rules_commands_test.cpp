// SPDX-License-Identifier: BSD-3-Clause
// `colltree check` and `colltree explain` on rules files, as a user runs them.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/file.h"
#include "base/test_paths.h"
#include "cli/decision_file.h"
#include "cli/test_run.h"
#include "deploy/side_by_side.h"
#include "profile/csv.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRules = "1\n7\n2\n2\n2\n0 6 0 0\n8192 5 0 0\n16\n1\n0 7 0 0\n";

std::string file_of(const char* name, const char* content) {
  const std::string path = fresh_path(name).string();
  write_file(path, content);
  return path;
}

// A tuning of the library's own algorithms has no file for `colltree run`.
TEST(Run, NamesTheRulesThatLieInPlaceOfAModel) {
  const std::string rules = file_of("rules.openmpi-4.1", kRules);
  const std::string model = fresh_path("tuned.cdt").string();
  const std::string error = "colltree: " + model +
                            ": no such file, because this folder was tuned for the library's own "
                            "algorithms: load " +
                            rules +
                            " (colltree verify doctor --rules), or tune with --source portable\n";
  EXPECT_EQ(colltree_run({"run", "--model", model, "--", "true"}).err, error);
  EXPECT_EQ(colltree_run({"verify", "doctor", "--model", model, "--launcher", "true"}).err, error);
}

TEST(Check, SaysThatAFileIsGood) {
  const std::string path = file_of("good.rules", kRules);
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, path +
                             " for openmpi-4.1: rules: bcast 3; 0 errors, 0 unsafe, 0 warnings\n"
                             "known: Open MPI 4.1 to 5.0.6 (run: 4.1.4)\n");
}

TEST(Check, AFileForANewerLibraryIsNotCalledRight) {
  const std::string path = file_of("new.rules", "# For openmpi-7.0\n1\n7\n1\n2\n1\n0 6 0 0\n");
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr(path + ":1: error: the file says it is for Open MPI 7.0; known is Open MPI "
                               "4.1 to 5.0.6 (run: 4.1.4)"));
}

TEST(Check, FailsOnErrorsAndUnsafeRules) {
  const std::string path = file_of("bad.rules", "1\n11\n1\n2\n1\n0 5 0 0\n");
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(path + ":6: unsafe: reduce binomial gives wrong results"));
  EXPECT_THAT(outcome.err, HasSubstr("not fit for openmpi-4.1: 0 errors, 1 unsafe rules"));
}

TEST(Check, NamesTheNearestFormat) {
  const Outcome outcome =
      colltree_run({"check", file_of("good.rules", kRules), "--for", "openmpi-4.2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'openmpi-4.1'?"));
}

TEST(Explain, ShowsTheRuleAndTheLibrarysOwnChoice) {
  const std::string path = file_of("good.rules", kRules);
  const Outcome outcome =
      colltree_run({"explain", "bcast", "8", "64K", "--rules", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "bcast on 8 ranks, 65536 bytes\n"
            "  looked up as 65536 bytes (the message size)\n"
            "  " +
                path +
                ":7: 0 to 15 ranks, 8192 bytes and more\n"
                "method: Binary_0K\n"
                "Open MPI 4.1 without rules: basic_linear\n");
}

// What a rule asks for is not what runs: elements are at most as many as bytes.
TEST(Explain, NamesWhatOpenmpiRunsInItsPlace) {
  const std::string path = file_of("rabenseifner.rules", "1\n2\n1\n0\n1\n0 6 0 0\n");
  const auto said = [&](const char* ranks, const char* bytes) {
    return colltree_run(
               {"explain", "allreduce", ranks, bytes, "--rules", path, "--for", "openmpi-4.1"})
        .out;
  };
  const std::string why =
      "rabenseifner needs as many elements as ranks, rounded down to a power of two: basic_linear "
      "runs in its place\n";
  EXPECT_THAT(said("65536", "32K"), HasSubstr("  " + why + "method: basic_linear\n"));
  EXPECT_THAT(said("65536", "32K"), HasSubstr("without rules: basic_linear\n"));
  EXPECT_THAT(said("65536", "128K"),
              HasSubstr("  with elements of 4 bytes and more: " + why + "method: rabenseifner\n"));
  EXPECT_THAT(said("4", "1K"), HasSubstr(" 0 bytes and more\nmethod: rabenseifner\n"));
}

// Likewise of a model, by whose methods it has.
TEST(Explain, NamesWhatRunsInPlaceOfAModelsMethod) {
  const auto said = [](const char* algorithms, const std::string& collective,
                       const std::string& method, const char* ranks, const char* bytes) {
    const std::string csv =
        file_of("F.csv", fmt::format("{}\ns,openmpi-4.1.4,{},8,,,64,{},,1\n"
                                     "s,openmpi-4.1.4,{},8,,,64,default,,,2\n",
                                     profile::kCsvHeader, collective, method, collective)
                             .c_str());
    const std::string db = fresh_path("P.db").string();
    const std::string model = fresh_path("M.json").string();
    EXPECT_EQ(colltree_run({"import", csv, "--source", algorithms, "-o", db}).err, "");
    EXPECT_EQ(colltree_run({"fit", "quadtree", db, "--collective", collective, "-o", model}).err,
              "");
    return colltree_run({"explain", collective, ranks, bytes, "--model", model}).out;
  };
  EXPECT_THAT(said("openmpi", "allreduce", "rabenseifner,", "8", "4"),
              HasSubstr("method: rabenseifner (by quadtree, 0 tests)\n  rabenseifner needs as many "
                        "elements as ranks, rounded down to a power of two: basic_linear runs in "
                        "its place\n"));
  EXPECT_THAT(said("openmpi", "allreduce", "rabenseifner,", "8", "64"),
              Not(HasSubstr("in its place")));
  EXPECT_THAT(said("portable", "bcast", "split_binary,0", "2", "64"),
              HasSubstr("\n  Binary_0K runs in its place\n"));
}

TEST(Explain, RefusesAFileThatTheLibraryDoesNotTake) {
  const std::string path = file_of("cut.rules", "1\n11\n1\n2\n");
  const Outcome outcome =
      colltree_run({"explain", "reduce", "8", "64K", "--rules", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("openmpi-4.1 does not take such a file: see colltree check"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("method:")));
}

TEST(Explain, SaysWhatARuleAsksAndWhatOtherCallsGet) {
  const std::string path = file_of("tuner.csv",
                                   "allreduce,0,1048576,ring,ll128,-1,-1,-1,4,-1\n"
                                   "allreduce,0,1048576,tree,simple,-1,2,-1,1,1\n"
                                   "allreduce,0,1048576,nvls,simple,-1,-1,-1,1,0\n");
  const Outcome outcome =
      colltree_run({"explain", "allreduce", "8", "1K", "--rules", path, "--for", "nccl"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr(fmt::format(
                  "  {0}:3: 0 ranks and more, 0 to 1048576 bytes; 1 pipe operation, buffers not "
                  "registered\n"
                  "  with 4 pipe operations: ring/ll128 ({0}:1)\n"
                  "  with 1 pipe operation, registered buffers, 2 nodes: tree/simple ({0}:2)\n"
                  "method: nvls/simple\n",
                  path)));
}

TEST(Explain, AnswersWhereTheLibraryGoesOnAfterAnError) {
  const std::string path =
      file_of("overlap.ucc", "UCC_TL_UCP_TUNE=bcast:0-4k:@knomial#bcast:2k-inf:[4-8]:@dbt\n");
  const Outcome dropped =
      colltree_run({"explain", "bcast", "8", "1K", "--rules", path, "--for", "ucc"});
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_THAT(dropped.out, HasSubstr(path + ":1: error: token 'bcast:2k-inf:[4-8]:@dbt': "));
  EXPECT_THAT(dropped.out, HasSubstr("UCC drops the whole string\n"));
  EXPECT_THAT(dropped.out, HasSubstr("\nmethod: the library's own choice\n"));
}

TEST(Explain, TakesAModelOrRules) {
  const std::string path = file_of("good.rules", kRules);
  EXPECT_EQ(colltree_run({"explain", "bcast", "8", "64K", "--rules", path, "--model", "m.json"})
                .exit_code,
            2);
  EXPECT_EQ(colltree_run({"explain", "bcast", "8", "64K", "--for", "nccl"}).out,
            "bcast on 8 ranks, 65536 bytes\nwhat nccl chooses for bcast is not known here\n");
  EXPECT_EQ(colltree_run({"explain", "bcast", "8", "64K", "--for", "mpich-4.0"}).out,
            "bcast on 8 ranks, 65536 bytes\n"
            "MPICH 4.0 without rules: ScatterRecursiveDoublingAllgather_0K\n"
            "Which one runs on this machine: colltree explain bcast 8 65536 --live --launcher "
            "'mpirun -np {ranks}'\n");
}

TEST(Explain, SaysWhatTheLibrariesDoByThemselves) {
  const Outcome outcome = colltree_run({"explain", "bcast", "8", "64K"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "bcast on 8 ranks, 65536 bytes\n"
            "Open MPI 4.1 without rules: basic_linear\n"
            "MPICH 4.0 without rules: ScatterRecursiveDoublingAllgather_0K\n"
            "Which one runs on this machine: colltree explain bcast 8 65536 --live --launcher "
            "'mpirun -np {ranks}'\n");
  EXPECT_THAT(colltree_run({"explain", "alltoallv", "8", "8"}).out,
              HasSubstr("MPICH 4.0 without rules: Scattered_0K\n"));
}

// Each answers for the library that reads the file, and for no other.
TEST(Explain, SpeaksOfTheLibraryOfTheFileOnly) {
  struct Case {
    const char* content;
    const char* last_line;
  };
  const Case cases[] = {
      {kRules, "Open MPI 4.1 without rules: basic_linear\n"},
      {"rule-file-version-2\n1 7 1 2 1 0 6 0 0 0\n", "method: Binomial_0K\n"},
      {"1\nbcast\n1\n2\n1\n1\n1\n0 tuned\n", "method: Tuned_0K\n"},
      {"broadcast,0,4194304,ring,simple,-1,-1,-1,-1,-1\n", "method: ring/simple\n"},
      {"export UCC_TL_UCP_TUNE=\"bcast:0-inf:@dbt\"\n", "method: dbt\n"},
  };
  for (const Case& one : cases) {
    const Outcome outcome =
        colltree_run({"explain", "bcast", "8", "64K", "--rules", file_of("x.rules", one.content)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.ends_with(one.last_line)) << outcome.out;
  }
}

// Files of users (tests/data/reports): the format by what they hold, what the library does.
TEST(Explain, AnswersForFilesOfUsersAsTheirLibrariesDo) {
  struct Case {
    const char* file;
    const char* ranks;
    const char* bytes;
    const char* where;
    const char* method;
  };
  const Case cases[] = {
      {"openmpi-descending-ranks.rules", "2", "10", ":6: 0 to 15 ranks", "Binomial_0K"},
      {"openmpi-descending-ranks.rules", "16", "10", ":9: 16 ranks and more", "basic_linear"},
      {"openmpi-descending-sizes.rules", "4", "8191", ":6: ", "Binomial_0K"},
      {"openmpi-descending-sizes.rules", "4", "8192", ":8: ", "basic_linear"},
      {"openmpi-word-behind-number.rules", "4", "10", ":6: ", "Pipeline_0K"},
      {"mpich-4.0-comment.json", "8", "237", ":6: ", "Binomial_0K"},
      {"mpich-4.0-comment.json", "8", "238", ":9: ", "ScatterRingAllgather_0K"},
  };
  for (const Case& one : cases) {
    const std::string path = testing::data_dir().string() + "/reports/" + one.file;
    EXPECT_EQ(colltree_run({"check", path}).exit_code, 0) << one.file;
    const Outcome outcome =
        colltree_run({"explain", "bcast", one.ranks, one.bytes, "--rules", path});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(one.where)) << one.file;
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("method: {}\n", one.method))) << one.file;
  }
}

// What is wrong elsewhere in a file that the library takes.
TEST(Explain, AnswersBesideAnAlgorithmThatIsUnknownElsewhere) {
  const std::string path = file_of("else.rules", "2\n2 1 0 1\n0 99 0 0\n7 1 0 1\n0 6 0 0\n");
  const Outcome bcast = colltree_run({"explain", "bcast", "8", "64K", "--rules", path});
  EXPECT_THAT(bcast.out, HasSubstr("method: Binomial_0K\n")) << bcast.err;
  const Outcome allreduce = colltree_run({"explain", "allreduce", "8", "64K", "--rules", path});
  EXPECT_THAT(allreduce.out,
              HasSubstr("  unsafe: allreduce has no algorithm 99 in openmpi-4.1: "
                        "each call that this rule decides fails with MPI_ERR_ARG\n"));
  EXPECT_EQ(colltree_run({"check", path}).exit_code, 1);
}

TEST(Check, FindsTheFormatByItself) {
  const Outcome outcome = colltree_run({"check", file_of("good.rules", kRules)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("--for openmpi-4.1: as the file says\n"));
  const Outcome unclear = colltree_run({"check", file_of("unclear.rules", "hello\n")});
  EXPECT_EQ(unclear.exit_code, 2);
  EXPECT_THAT(unclear.err, HasSubstr("unclear.rules: its format is not known from its content; "
                                     "give --for: openmpi-4.1, openmpi-5.0.7, "));
}

TEST(Check, AnswersForEachRunOfAScript) {
  const std::string path =
      file_of("runs.sh",
              "export I_MPI_TUNING_BIN=/x\nmpirun -genv I_MPI_ADJUST_BCAST 1 ./a\n"
              "mpirun -genv I_MPI_ADJUST_BCAST 3 -genv I_MPI_ADJUST_REDUCE 1 ./a\n");
  const Outcome outcome = colltree_run({"check", path});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("2 runs, line 2: rules: bcast 1, line 3: rules: bcast 1, reduce 1; 0 "
                        "errors, 0 unsafe, 1 warnings\n"));
  EXPECT_THAT(colltree_run({"explain", "bcast", "4", "1K", "--rules", path}).out,
              ::testing::MatchesRegex(
                  "(.|\n)*line 2:\n.*\nmethod: binomial\nline 3:\n.*\nmethod: scatter_(.|\n)*"));
  EXPECT_THAT(colltree_run({"explain", "gather", "4", "1K", "--rules", path}).out,
              HasSubstr(":1: warning: I_MPI_TUNING_BIN is not taken into account here\nmethod: the "
                        "library's own choice"));
  EXPECT_THAT(colltree_run({"check", path, "--on", "x.db"}).err,
              HasSubstr("runs several commands under settings of their own"));
  const Outcome others = colltree_run(
      {"check", file_of("others.sh", "mpirun --mca coll_tuned_bcast_algorithm 3 ./a\n")});
  EXPECT_EQ(others.exit_code, 1);
  EXPECT_THAT(others.err, HasSubstr(":1: OMPI_MCA_coll_tuned_bcast_algorithm is a setting of Open "
                                    "MPI, not a rules file"));
}

TEST(Check, RefusesTheFileForTheDeviceWhichHoldsNoRules) {
  const std::string refused =
      "the file is for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE and holds no rules, ";
  const std::string path = file_of("mpich.device",
                                   "{ \"collective=bcast\": { "
                                   "\"composition=MPIDI_Bcast_intra_composition_gamma\": {} } }");
  const Outcome outcome = colltree_run({"check", path});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("error: " + refused));
  EXPECT_THAT(colltree_run({"explain", "bcast", "4", "8", "--rules", path}).err,
              HasSubstr(":1: " + refused));
}

TEST(Show, SaysWhatARulesFileHolds) {
  const std::string path = file_of("good.rules", kRules);
  const Outcome outcome = colltree_run({"show", path});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            path +
                ": rules file of Open MPI 4.1 and 5.0 to 5.0.6 (openmpi-4.1)\n"
                "bcast: 3 rules\n"
                "  0 to 15 ranks: 0 to 8191 bytes Binomial_0K; 8192 bytes and more Binary_0K\n"
                "  16 ranks and more: " +
                "Knomial_0K\n"
                "0 errors, 0 unsafe, 0 warnings: colltree check " +
                path + " --for openmpi-4.1\n");
  EXPECT_EQ(colltree_run({"show", path, "--map"}).exit_code, 2);
}

TEST(Show, PrintsAllRulesAsJson) {
  const std::string path = file_of("good.rules", kRules);
  const Json shown = Json::parse(colltree_run({"show", path, "--json"}).out);
  EXPECT_EQ(shown["schema"].text(), "colltree/rules/1");
  EXPECT_EQ(shown["for"].text(), "openmpi-4.1");
  const Json& bcast = shown["runs"][0]["collectives"][0];
  EXPECT_EQ(bcast["size_key"].text(), "message_size");
  ASSERT_EQ(bcast["rules"].size(), 3);
  const Json& rule = bcast["rules"][1];
  EXPECT_EQ(rule["communicator_size"], Json::array({0, 15}));
  EXPECT_EQ(rule["message_size"], Json::array({8192, nullptr}));
  EXPECT_EQ(rule["algorithm"].text(), "binary");
  EXPECT_EQ(rule["segment_size"], Json(0));
  // Each command of a script has its own rules.
  const std::string script = file_of("job.sh",
                                     "export I_MPI_ADJUST_BCAST=1\nmpirun ./a\n"
                                     "export I_MPI_ADJUST_BCAST=2\nmpirun ./b\n");
  const Json runs = Json::parse(colltree_run({"show", script, "--json"}).out)["runs"];
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(runs[1]["line"], Json(4));
}

TEST(Show, RefusesOptionsWithoutEffect) {
  const std::string rules = file_of("good.rules", kRules);
  const std::string model = testing::data_dir().string() + "/models/optimal.json";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"show", rules, "-o", fresh_path("x.csv").string()},
           {"show", rules, "--fit", "quadtree"},
           {"show", rules, "--collective", "bcast"},
           {"check", rules, "--system", "grig"},
           {"check", rules, "--launcher", "mpirun"},
           {"explain", "bcast", "4", "8", "--json", "--model", model, "--on", "P.db"},
           {"explain", "bcast", "4", "8", "--json", "--live", "--launcher", "mpirun"},
           {"emit", "cdt", model, "--prefix", "mine", "-o", rules},
           {"emit", "rules-json", model, "--plain", "-o", rules},
           {"emit", "c", model, "--replace-default", "-o", rules},
           {"emit", "rules-json", model, "--system", "grig", "-o", rules}})
    EXPECT_EQ(colltree_run(words).exit_code, 2) << words[0] << words[2];
}

TEST(Show, SaysWhatACompactFileHolds) {
  const std::string model = testing::data_dir().string() + "/models/optimal.json";
  const std::string path = fresh_path("shown.cdt").string();
  ASSERT_EQ(colltree_run({"emit", "cdt", model, "-o", path}).exit_code, 0);
  const Outcome outcome = colltree_run({"show", path});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(path + ": compact decision file\n"));
  EXPECT_THAT(outcome.out, HasSubstr("bcast"));
  EXPECT_THAT(colltree_run({"show", path, "--json"}).err, HasSubstr("is shown as text"));
}

TEST(DeployedRules, HanStandsAboveTunedFromOpenMpi5On) {
  const std::string tuned = file_of("tuned.rules", kRules);
  const std::string han =
      file_of("han.rules", "1\nbcast\n1\nglobal_communicator\n1\n1\n1\n0 tuned\n");
  EXPECT_EQ(deployed_rules("openmpi-5.0.3", {tuned}).size(), 1);
  const deploy::RulesArm arm = arm_of(deployed_rules("openmpi-5.0.3", {tuned, han}));
  EXPECT_THAT(rules::settings_to_load(arm.at(0)),
              ElementsAre("OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                          "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + tuned,
                          "OMPI_MCA_coll_han_use_dynamic_file_rules=1",
                          "OMPI_MCA_coll_han_dynamic_rules_filename=" + han));
  EXPECT_THROW(deployed_rules("openmpi-5.0.3", {tuned, tuned}), Error);
  for (const char* mpi : {"openmpi-4.1.4", "mpich-4.2.1"}) {
    try {
      deployed_rules(mpi, {tuned, han});
      ADD_FAILURE() << mpi;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(),
                fmt::format("--rules: {} reads one file; only coll/han reads another", mpi));
    }
  }
}

}  // namespace
}  // namespace colltree::cli
