// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/guidelines.h"

#include <algorithm>
#include <tuple>

namespace colltree::evaluate {

namespace {

using Form = GuidelineForm;

bool same_ranks(const Instance& a, const Instance& b) {
  return a.communicator_size == b.communicator_size && a.nodes == b.nodes &&
         a.ranks_per_node == b.ranks_per_node;
}

// The ranks of `a` can be some of those of `b`.
bool fewer_ranks(const Instance& a, const Instance& b) {
  const auto fits = [](std::uint64_t less, std::uint64_t more) {
    return (less == 0) == (more == 0) && less <= more;  // 0: not known
  };
  return a.communicator_size < b.communicator_size && fits(a.nodes, b.nodes) &&
         fits(a.ranks_per_node, b.ranks_per_node);
}

// A point of one table.
struct Point {
  std::size_t table = 0;
  std::size_t row = 0;
};

struct PointCall {
  Point at;
  std::uint64_t times = 1;
};
using RightSide = std::vector<PointCall>;

class RightSides {
 public:
  explicit RightSides(const std::vector<Timings>& timings) : timings_(timings) {}

  // None where a size is missing.
  std::vector<RightSide> of(const Guideline& guideline, Point left) const {
    if (guideline.form != Form::kReplacement) return of_own_table(guideline.form, left);
    RightSide side;
    for (const GuidelineTerm& term : guideline.right) {
      const auto found = find(term, instance(left));
      if (!found) return {};
      side.push_back({*found, 1});
    }
    return {side};
  }

 private:
  const Instance& instance(Point at) const { return timings_[at.table].instances[at.row]; }

  std::optional<Point> find(const GuidelineTerm& term, const Instance& left) const {
    const auto table = std::ranges::find(timings_, term.collective, &Timings::collective);
    if (table == timings_.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(table - timings_.begin());
    const auto wanted = wanted_size(term.size, left, table->instances);
    if (!wanted) return std::nullopt;
    Instance at = left;
    at.collective = term.collective;
    at.message_size = *wanted;
    const auto row = std::ranges::lower_bound(table->instances, at);
    if (row == table->instances.end() || *row != at) return std::nullopt;
    return Point{index, static_cast<std::size_t>(row - table->instances.begin())};
  }

  static std::optional<std::uint64_t> wanted_size(SizeOf size, const Instance& left,
                                                  const std::vector<Instance>& measured) {
    const std::uint64_t n = left.message_size;
    const std::uint64_t p = left.communicator_size;
    switch (size) {
      case SizeOf::kSame:
        return n;
      case SizeOf::kWhole:
        return p == 0 || n > UINT64_MAX / p ? std::nullopt : std::optional(n * p);
      case SizeOf::kPart:
        return p == 0 || n % p != 0 ? std::nullopt : std::optional(n / p);
      case SizeOf::kLeast:
        break;
    }
    std::optional<std::uint64_t> least;
    for (const Instance& at : measured) {
      if (!same_ranks(at, left) || at.message_size == 0) continue;
      least = std::min(least.value_or(at.message_size), at.message_size);
    }
    return least;
  }

  std::vector<RightSide> of_own_table(Form form, Point left) const {
    std::vector<RightSide> sides;
    for (std::size_t row = 0; row < timings_[left.table].instances.size(); ++row) {
      const Point other{left.table, row};
      const std::uint64_t times = times_of(form, instance(left), instance(other));
      if (times > 0) sides.push_back({{other, times}});
    }
    return sides;
  }

  // How often the right side's call has to be made; 0: it is no right side.
  static std::uint64_t times_of(Form form, const Instance& left, const Instance& right) {
    const std::uint64_t n = left.message_size;
    const std::uint64_t m = right.message_size;
    if (form == Form::kMessageSize) return same_ranks(left, right) && n < m ? 1 : 0;
    if (form == Form::kPieces) {
      return same_ranks(left, right) && 0 < m && m < n && n % m == 0 ? n / m : 0;
    }
    const bool same_data = message_unit(left.collective) != MessageUnit::kTotal;
    return same_data && n == m && fewer_ranks(left, right) ? 1 : 0;
  }

  const std::vector<Timings>& timings_;
};

struct Choice {
  Method method;
  Cost cost;
};

// The interval of the column that the time was read from; the default has one where it is among the
// methods.
Cost cost_of(const Timings& timings, std::size_t row, const Method& method, double time_us) {
  const Cost alone{time_us, time_us, time_us, false};
  const auto column = timings.column_of(row, method);
  if (!column) return alone;
  const auto interval = timings.at(row, *column).interval();
  return interval && interval->low < interval->high
             ? Cost{time_us, interval->low, interval->high, true}
             : alone;
}

std::optional<Choice> choice_of(const Timings& timings, std::size_t row,
                                const GuidelineChooser& chooser) {
  const auto method = chooser.choose(timings, row);
  if (!method) return std::nullopt;
  // A prediction is no witness against a library.
  const double time_us = timings.time_of(row, *method).measured_us();
  if (!(time_us > 0)) return std::nullopt;
  return Choice{*method, cost_of(timings, row, *method, time_us)};
}

// What one chooser does at every point: asked once, used by every guideline.
class Choices {
 public:
  Choices(const std::vector<Timings>& timings, const GuidelineChooser& chooser)
      : timings_(timings) {
    for (const Timings& table : timings) {
      auto& rows = choices_.emplace_back();
      for (std::size_t row = 0; row < table.instances.size(); ++row)
        rows.push_back(choice_of(table, row, chooser));
    }
  }

  const std::optional<Choice>& at(Point point) const { return choices_[point.table][point.row]; }

  GuidelineTest test(Point left, const RightSide& right, double tolerance) const {
    GuidelineTest test;
    if (!at(left)) return test;
    test.method = at(left)->method;
    test.left = at(left)->cost;
    for (const PointCall& call : right) {
      const auto& choice = at(call.at);
      if (!choice) return {};
      add(test.right, choice->cost, static_cast<double>(call.times));
      test.calls.push_back(
          {timings_[call.at.table].instances[call.at.row], call.times, choice->method});
    }
    test.verdict = verdict(test.left, test.right, tolerance);
    return test;
  }

 private:
  static void add(Cost& sum, const Cost& cost, double times) {
    sum.time_us += times * cost.time_us;
    sum.low_us += times * cost.low_us;
    sum.high_us += times * cost.high_us;
    sum.has_interval = sum.has_interval && cost.has_interval;
  }

  static Verdict verdict(const Cost& left, const Cost& right, double tolerance) {
    if (!(left.time_us > (1 + tolerance) * right.time_us)) return Verdict::kKept;
    if (!(left.low_us > (1 + tolerance) * right.high_us)) return Verdict::kWithinNoise;
    return left.has_interval && right.has_interval ? Verdict::kCertain : Verdict::kNoInterval;
  }

  const std::vector<Timings>& timings_;
  std::vector<std::vector<std::optional<Choice>>> choices_;  // by table, by row
};

// What may be noise is worse than nothing, and better than what is none.
auto badness(const GuidelineTest& test) {
  const Verdict verdict =
      test.verdict == Verdict::kNoInterval ? Verdict::kCertain : test.verdict;  // ranked alike
  return std::tuple(verdict, test.verdict == Verdict::kNotMeasured ? 0 : test.factor());
}

GuidelineTest worst(const Choices& choices, Point left, const std::vector<RightSide>& sides,
                    double tolerance) {
  GuidelineTest found;
  for (const RightSide& side : sides) {
    GuidelineTest test = choices.test(left, side, tolerance);
    if (badness(test) > badness(found)) found = std::move(test);
  }
  return found;
}

}  // namespace

GuidelineChooser default_chooser() {
  return {"default", [](const Timings&, std::size_t) { return std::optional(library_default()); }};
}

GuidelineChooser best_chooser() {
  return {"best", [](const Timings& timings, std::size_t row) -> std::optional<Method> {
            const auto column = timings.best_measured_at(row);
            if (!column) return std::nullopt;
            return timings.methods[*column];
          }};
}

bool is_broken(Verdict verdict) { return verdict > Verdict::kKept; }

double GuidelineTest::factor() const { return left.time_us / right.time_us; }

std::vector<GuidelineCase> test_guidelines(const std::vector<Timings>& timings,
                                           const std::vector<GuidelineChooser>& choosers,
                                           double tolerance) {
  const RightSides right(timings);
  std::vector<Choices> choices;
  for (const GuidelineChooser& chooser : choosers) choices.emplace_back(timings, chooser);
  std::vector<GuidelineCase> cases;
  const auto test = [&](std::size_t guideline, Point left) {
    const auto sides = right.of(guidelines()[guideline], left);
    GuidelineCase made{guideline, timings[left.table].instances[left.row], {}};
    for (const Choices& one : choices) made.by.push_back(worst(one, left, sides, tolerance));
    const auto measured = [](const GuidelineTest& one) {
      return one.verdict != Verdict::kNotMeasured;
    };
    if (std::ranges::any_of(made.by, measured)) cases.push_back(std::move(made));
  };
  for (std::size_t guideline = 0; guideline < guidelines().size(); ++guideline) {
    const auto& left = guidelines()[guideline].left;
    for (std::size_t table = 0; table < timings.size(); ++table) {
      if (left && timings[table].collective != *left) continue;
      for (std::size_t row = 0; row < timings[table].instances.size(); ++row)
        test(guideline, {table, row});
    }
  }
  return cases;
}

GuidelineTally tally(std::span<const GuidelineCase> cases, std::size_t guideline,
                     std::size_t chooser) {
  GuidelineTally sum;
  for (const GuidelineCase& one : cases) {
    if (one.guideline != guideline) continue;
    const Verdict verdict = one.by[chooser].verdict;
    sum.tested += verdict != Verdict::kNotMeasured ? 1 : 0;
    sum.certain += verdict == Verdict::kCertain ? 1 : 0;
    sum.broken += verdict == Verdict::kCertain || verdict == Verdict::kNoInterval ? 1 : 0;
    sum.within_noise += verdict == Verdict::kWithinNoise ? 1 : 0;
  }
  return sum;
}

std::vector<const GuidelineCase*> worst_first(std::span<const GuidelineCase> cases,
                                              std::size_t chooser) {
  std::vector<const GuidelineCase*> broken;
  for (const GuidelineCase& one : cases) {
    if (is_broken(one.by[chooser].verdict)) broken.push_back(&one);
  }
  std::ranges::stable_sort(broken, std::ranges::greater(),
                           [&](const GuidelineCase* one) { return badness(one->by[chooser]); });
  return broken;
}

}  // namespace colltree::evaluate
