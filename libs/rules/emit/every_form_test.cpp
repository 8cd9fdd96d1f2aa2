// SPDX-License-Identifier: BSD-3-Clause
// A thousand random maps, each in every representation there is: the model in memory, generated C
// in each form, compact files in each form. All give the same answers at every instance of the
// grid, around each threshold and at the ends of the integers.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/test_sample.h"
#include "emit/cdt.h"
#include "emit/emitter.h"
#include "emit/test_decisions.h"
#include "model/kinds/quadtree.h"
#include "model/test_models.h"

namespace colltree::emit {
namespace {

using testing::CMethod;
using testing::Compiled;
using testing::Loaded;
using testing::pick;

struct CForm {
  const char* name;
  const char* target;
  bool is_gnu = true;  // else as a compiler without GNU's builtins reads it
};
constexpr CForm kCForms[] = {
    {"fast", "c"}, {"nested", "c-nested"}, {"table", "c-table"}, {"portable", "c-table", false}};
constexpr CdtForm kCdtForms[] = {CdtForm::kAuto, CdtForm::kTree, CdtForm::kTable};

struct Subject {
  DecisionMap map;
  model::Model model;
  bool exact;
};

Subject random_subject(testing::Random& random) {
  Subject made;
  made.map = testing::random_map(random, pick(random, 1, 8), pick(random, 1, 12), 7);
  model::GridTreeOptions options{.reshape = static_cast<model::Reshape>(pick(random, 0, 2))};
  made.exact = pick(random, 0, 2) != 0;
  if (!made.exact) options.max_depth = pick(random, 0, 4);
  const model::LabelGrid grid = model::make_label_grid(made.map);
  made.model =
      model::fit_quadtree({"random", "simulated", grid.collectives, grid.points()}, grid, options);
  return made;
}

std::string prefix_of(const CForm& form, std::size_t subject) {
  return fmt::format("{}{}", form.name, subject);
}

std::string c_source(const std::vector<Subject>& subjects) {
  std::string source;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    for (const CForm& form : kCForms) {
      std::string text =
          find_emitter(form.target).emit(subjects[i].model, {.prefix = prefix_of(form, i)});
      for (std::size_t at = 0; !form.is_gnu && (at = text.find("__GNUC__", at)) != text.npos;)
        text.replace(at, 8, "NO_GNU");
      source += text;
    }
  }
  return source;
}

struct AskedC {
  const CMethod* methods;
  int (*decide)(std::uint64_t, std::uint64_t);
};

bool same(const CMethod& got, const Method& expected) {
  return got.algorithm == expected.algorithm &&
         got.segment_size == static_cast<std::int64_t>(expected.segment_size.value());
}

void expect_one_answer(const Subject& subject, const std::vector<AskedC>& functions) {
  const model::RuleTree tree = subject.model.rules;
  std::vector<std::unique_ptr<Loaded>> files;
  for (const CdtForm form : kCdtForms) {
    files.push_back(std::make_unique<Loaded>(make_cdt(tree, {"random"}, form)));
  }
  for (const Instance& at :
       testing::telling_instances(tree, testing::grid_instances(subject.map))) {
    const Method expected = subject.model.decide(at);
    const std::string where = fmt::format("{} {}", at.communicator_size, at.message_size);
    for (std::size_t form = 0; form < functions.size(); ++form) {
      const AskedC& asked = functions[form];
      ASSERT_TRUE(
          same(asked.methods[asked.decide(at.communicator_size, at.message_size)], expected))
          << kCForms[form].name << " at " << where;
    }
    for (std::size_t form = 0; form < files.size(); ++form) {
      ASSERT_EQ(files[form]->decide(at), expected) << "compact file " << form << " at " << where;
    }
  }
}

void expect_the_map(const Subject& subject) {
  const std::vector<Instance> grid = testing::grid_instances(subject.map);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    ASSERT_EQ(subject.model.decide(grid[i]), subject.map.methods[subject.map.best[i]]);
  }
}

void try_batch(testing::Random random) {
  std::vector<Subject> subjects;
  for (int i = 0; i < 100; ++i) subjects.push_back(random_subject(random));
  const Compiled compiled(c_source(subjects));
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    std::vector<AskedC> functions;
    for (const CForm& form : kCForms) {
      const std::string prefix = prefix_of(form, i);
      functions.push_back({compiled.get<const CMethod>(prefix + "_methods"),
                           compiled.get<int(std::uint64_t, std::uint64_t)>(
                               fmt::format("{}_decide_{}", prefix, name(Collective::kBcast)))});
    }
    ASSERT_NO_FATAL_FAILURE(expect_one_answer(subjects[i], functions));
    if (!subjects[i].exact) continue;
    ASSERT_NO_FATAL_FAILURE(expect_the_map(subjects[i]));
  }
}

TEST(EveryForm, AThousandRandomMapsGiveTheSameAnswers) {
  for (const std::size_t batch : testing::sampled(10))
    ASSERT_NO_FATAL_FAILURE(try_batch(testing::Random(31 + batch)));
}

}  // namespace
}  // namespace colltree::emit
