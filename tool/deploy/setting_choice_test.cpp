// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/setting_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/input.h"
#include "base/test_scratch.h"

namespace colltree::deploy {
namespace {

using ::testing::ElementsAre;

TEST(SettingChoice, IsWrittenForShellsModulesAndOpenmpi) {
  const std::filesystem::path folder = fresh_path("setting");
  make_folder(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const std::vector<std::string> variables = {"OMPI_MCA_btl=tcp,self", "OMPI_MCA_x=a \"$b\""};
  EXPECT_THAT(write_setting(folder, {"tcp", variables}),
              ElementsAre(file("setting.sh"), file("setting.tcl"), file("setting.conf")));
  EXPECT_EQ(read_file(file("setting.sh")),
            "export OMPI_MCA_btl=tcp,self\nexport OMPI_MCA_x='a \"$b\"'\n");
  EXPECT_EQ(
      read_file(file("setting.tcl")),
      "#%Module1.0\nsetenv OMPI_MCA_btl \"tcp,self\"\nsetenv OMPI_MCA_x \"a \\\"\\$b\\\"\"\n");
  EXPECT_EQ(read_file(file("setting.conf")), "btl = tcp,self\nx = a \"$b\"\n");
  // What is no parameter of Open MPI cannot stand in its file, and the plain job has no files.
  EXPECT_THAT(write_setting(folder, {"both", {"OMPI_MCA_btl=tcp,self", "UCX_TLS=tcp"}}),
              ElementsAre(file("setting.sh"), file("setting.tcl")));
  EXPECT_FALSE(std::filesystem::exists(file("setting.conf")));
  EXPECT_TRUE(write_setting(folder, {}).empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace colltree::deploy
