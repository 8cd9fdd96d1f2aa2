// SPDX-License-Identifier: BSD-3-Clause
#include "measure/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/test_scratch.h"
#include "coll/method.h"

namespace colltree::measure {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kName =
    "write 'NAME: VARIABLE=VALUE ...', the name of letters, digits, '-', '_' and '.'";

TEST(Settings, AreReadFromTexts) {
  const auto settings = read_settings(
      Texts{"tcp: OMPI_MCA_btl=tcp,self  OMPI_MCA_pml=ob1", R"(ucx-2.1 :UCX_TLS="a b" EMPTY=)"});
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0], (Setting{"tcp", {"OMPI_MCA_btl=tcp,self", "OMPI_MCA_pml=ob1"}}));
  EXPECT_EQ(settings[1], (Setting{"ucx-2.1", {"UCX_TLS=a b", "EMPTY="}}));
}

TEST(Settings, AreReadFromAFile) {
  const std::string file = fresh_path("settings.txt");
  std::ofstream(file) << "# of this site\n\na: A=1  # one\nb: B=2\n";
  const auto settings = read_settings(Texts{file, "c: C=3"});
  EXPECT_EQ(settings, (std::vector<Setting>{{"a", {"A=1"}}, {"b", {"B=2"}}, {"c", {"C=3"}}}));
  std::ofstream(file) << "a: A=1\nb:\n";
  EXPECT_EQ(error_of([&] { read_settings(Texts{file}); }), file + ":2: b: has no VARIABLE=VALUE");
  std::ofstream(file) << "# nothing\n";
  EXPECT_EQ(error_of([&] { read_settings(Texts{file}); }), file + ": defines no setting");
}

TEST(Settings, MistakesAreNamed) {
  const std::pair<Texts, std::string> kMistakes[] = {
      {{"tcp"}, "--setting: 'tcp' does not begin with the name of a setting; "},
      {{"a b: A=1"}, "--setting: 'a b: A=1' does not begin with the name of a setting; "},
      {{": A=1"}, "--setting: ': A=1' does not begin with the name of a setting; "},
      {{"plain: A=1"}, "--setting: 'plain' is the job without a setting"},
      {{"tcp: "}, "--setting: tcp: has no VARIABLE=VALUE"},
      {{"tcp: A"}, "--setting: tcp: 'A' is no VARIABLE=VALUE"},
      {{"tcp: 1A=2"}, "--setting: tcp: '1A=2' is no VARIABLE=VALUE"},
      {{"tcp: =2"}, "--setting: tcp: '=2' is no VARIABLE=VALUE"},
      {{"tcp: A=1 A=2"}, "--setting: tcp: sets A twice"},
      {{"tcp: A='1"}, "--setting: the quote ' is not closed"},
      {{"tcp: A=1", "tcp: A=2"}, "--setting: tcp is defined twice"},
  };
  for (const auto& [texts, message] : kMistakes) {
    std::string expected = message;
    if (message.ends_with("; ")) expected += kName;
    EXPECT_EQ(error_of([&, &given = texts] { read_settings(given); }), expected);
  }
}

TEST(Settings, WhoDecidesAndWhatIsATransport) {
  const auto parsed = [](std::string_view text) { return parse_setting(text, "test"); };
  EXPECT_TRUE(decides_alone(parsed("a: X=1 OMPI_MCA_coll_xhc_priority=90")));
  EXPECT_TRUE(decides_alone(parsed("a: MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM=release_gather")));
  EXPECT_FALSE(decides_alone(parsed("a: OMPI_MCA_coll_tuned_use_dynamic_rules=1")));
  EXPECT_FALSE(decides_alone(parsed("a: OMPI_MCA_btl=tcp,self")));
  EXPECT_TRUE(is_transport(parsed("a: OMPI_MCA_btl=tcp,self")));
  EXPECT_TRUE(is_transport(parsed("a: UCX_TLS=tcp")));
  EXPECT_FALSE(is_transport(parsed("a: OMPI_MCA_btl_tcp_eager_limit=1")));
  EXPECT_FALSE(is_transport(parsed("a: OMPI_MCA_coll_xhc_priority=90")));
}

TEST(Settings, DefinitionsStayInTheProfile) {
  const std::string file = fresh_path("defined.db");
  profile::Profile profile(file, profile::OpenMode::kWrite);
  const profile::CampaignInfo campaign{
      .system = {"s", profile::kProvenanceMeasured, "openmpi-4.1.4", "", ""}, .source = "openmpi"};
  profile.begin_campaign(campaign);
  const std::vector<Setting> settings = {{"a", {"A=1"}}, {"b", {"B=2", "C=3"}}};
  store_settings(profile, campaign, settings);
  store_settings(profile, campaign, settings);
  EXPECT_THAT(stored_settings(profile, "s"), ::testing::UnorderedElementsAreArray(settings));
  EXPECT_TRUE(stored_settings(profile, "other").empty());
  EXPECT_EQ(profile.campaigns().size(), 3U);
  EXPECT_EQ(
      error_of([&] {
        store_settings(profile, campaign, std::vector<Setting>{{"b", {"B=1"}}});
      }),
      file + ": system s holds timings of setting b with B=2 C=3; give this one another name");
}

}  // namespace
}  // namespace colltree::measure
