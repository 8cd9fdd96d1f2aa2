// SPDX-License-Identifier: BSD-3-Clause
#include "rank/asked_settings.h"

#include <gtest/gtest.h>

namespace colltree::rank {
namespace {

const std::vector<std::string> kOpenmpi = {"coll_tuned_use_dynamic_rules",
                                           "coll_tuned_dynamic_rules_filename",
                                           "coll_tuned_allreduce_algorithm"};
const std::vector<std::string> kMpich = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                                         "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                         "MPIR_CVAR_ASYNC_PROGRESS"};

TEST(AskedSettings, ANameThatNobodyReadsIsNamedWithTheOneThatIsMeant) {
  const std::string dynamic =
      "is read by nobody; the library reads OMPI_MCA_coll_tuned_use_dynamic_rules";
  for (const char* name :
       {"OMPI_MCA_use_dynamic_rules", "OMPI_MCA_coll_tuned_use_dynamic_rule",
        "OMPI_MCA_COLL_TUNED_USE_DYNAMIC_RULES", "coll_tuned_use_dynamic_rules",
        "MCA_coll_tuned_use_dynamic_rules", "PRTE_MCA_coll_tuned_use_dynamic_rules"})
    EXPECT_EQ(unread_text(name, kOpenmpi), dynamic) << name;
  EXPECT_EQ(unread_text("OMPI_MCA_coll_hcoll_enable", kOpenmpi), "is read by nobody");
  EXPECT_EQ(unread_text("MPIR_CVAR_ALLREDUCE_INTRA_ALGORTIHM", kMpich),
            "is read by nobody; the library reads MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM");
  EXPECT_EQ(unread_text("MPICH_ALLREDUCE_INTRA_ALGORTHM", kMpich),
            "is read by nobody; the library reads MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM");
  EXPECT_EQ(unread_text("CVAR_ALLREDUCE_INTRA_ALGORITHM", kMpich),
            "is read by nobody; the library reads MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM");
  EXPECT_EQ(unread_text("MPIR_CVAR_NO_SUCH_THING_AT_ALL", kMpich), "is read by nobody");
}

TEST(AskedSettings, WhatIsReadOrMeantForOthersIsNoMatter) {
  for (const char* name :
       {"OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll", "OMPI_MCA_orte_tmpdir_base",
        "OMPI_MCA_plm", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "PATH"})
    EXPECT_EQ(unread_text(name, kOpenmpi), "") << name;
  for (const char* name :
       {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
        "MPICH_ALLREDUCE_INTRA_ALGORITHM", "MPIR_PARAM_ASYNC_PROGRESS", "MPICH_GPU_SUPPORT_ENABLED",
        "I_MPI_ADJUST_ALLREDUCE", "HOME"})
    EXPECT_EQ(unread_text(name, kMpich), "") << name;
  EXPECT_EQ(unread_text("OMPI_MCA_use_dynamic_rules", {}), "");
}

TEST(AskedSettings, AValueThatIsRefused) {
  const std::map<int, std::string> algorithms = {{0, "ignore"}, {1, "basic_linear"}};
  EXPECT_EQ(refused_text("7", algorithms), "is refused: it takes 0 ignore, 1 basic_linear");
  EXPECT_EQ(refused_text("ring", algorithms), "is refused: it takes 0 ignore, 1 basic_linear");
  EXPECT_EQ(refused_text("1", algorithms), "");
  EXPECT_EQ(refused_text(" Basic_linear", algorithms), "");
  const std::map<int, std::string> flag = {{0, "false"}, {1, "true"}};
  EXPECT_EQ(refused_text("maybe", flag), "is refused: it takes 0 false, 1 true");
  for (const char* value : {"yes", "2", "T", "disabled"}) EXPECT_EQ(refused_text(value, flag), "");
  EXPECT_EQ(refused_text("64k", {}), "");
  EXPECT_EQ(refused_text("many", {}), "is refused: it takes numbers");
}

TEST(AskedSettings, OfAParameterFile) {
  const auto asked =
      asked_in_file("# site\ncoll_x = 1 # why\n\npml=ob1\ncoll_x=2\nno value\n", "f");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].name, "OMPI_MCA_pml");
  EXPECT_EQ(asked[1].name + "=" + asked[1].value, "OMPI_MCA_coll_x=2");
  EXPECT_EQ(asked[1].set_by, "the file f");
}

}  // namespace
}  // namespace colltree::rank
