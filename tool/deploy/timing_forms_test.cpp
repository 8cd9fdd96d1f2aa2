// SPDX-License-Identifier: BSD-3-Clause
// The forms of a timing from a size list to a rules file, in their order: the list of
// docs/architecture.md, compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "base/test_paths.h"
#include "coll/method.h"
#include "measure/grid.h"
#include "model/cell_tree.h"
#include "model/rule_tree.h"
#include "profile/profile.h"
#include "protocol/plan.h"
#include "protocol/report_line.h"
#include "rules/rule_set.h"
#include "timings/instance_grid.h"
#include "timings/timings.h"

namespace colltree {

namespace {

// Names a type, which must exist under that name for the list to compile.
#define COLLTREE_FORM(type) (static_cast<void>(sizeof(type)), #type)
const std::vector<std::string> kForms = {
    COLLTREE_FORM(measure::Grid),      COLLTREE_FORM(Instance),
    COLLTREE_FORM(protocol::PlanCell), COLLTREE_FORM(protocol::CellResult),
    COLLTREE_FORM(profile::Cell),      COLLTREE_FORM(Timings),
    COLLTREE_FORM(InstanceGrid),       COLLTREE_FORM(model::CellTree),
    COLLTREE_FORM(model::RuleTree),    COLLTREE_FORM(rules::RuleSet)};
#undef COLLTREE_FORM

// The words in backquotes in the first column of the table below the heading.
std::vector<std::string> listed_forms(std::string_view page) {
  std::vector<std::string> forms;
  page.remove_prefix(page.find("## Forms of a timing"));
  page = page.substr(0, page.find("\n## "));
  for (std::size_t row = page.find("\n| "); row != std::string_view::npos;
       row = page.find("\n| ", row + 1)) {
    std::string_view cell = page.substr(row + 3);
    cell = cell.substr(0, cell.find(" |"));
    for (std::size_t begin = cell.find('`'); begin != std::string_view::npos;
         begin = cell.find('`', begin + 1)) {
      const std::size_t end = cell.find('`', begin + 1);
      forms.emplace_back(cell.substr(begin + 1, end - begin - 1));
      begin = end;
    }
  }
  return forms;
}

}  // namespace

TEST(TimingForms, AreThoseOfThePage) {
  const std::string page = read_file(testing::source_dir() / "docs/architecture.md");
  EXPECT_THAT(listed_forms(page), ::testing::ElementsAreArray(kForms));
}

}  // namespace colltree
