// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/portfolio.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace colltree::evaluate {

namespace {

class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}

  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }

  Bits common(const Bits& other) const {
    Bits both = *this;
    for (std::size_t w = 0; w < words_.size(); ++w) both.words_[w] &= other.words_[w];
    return both;
  }
  std::size_t count() const {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  bool meets(const Bits& other) const { return common(other).count() != 0; }
  bool holds(const Bits& other) const { return common(other) == other; }
  void add(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  auto operator<=>(const Bits&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

using Elements = std::vector<Bits>;  // each the sets that hold it

Elements without_implied(const Elements& elements) {
  Elements kept;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto implies = [&](std::size_t j) {
      return i != j && elements[i].holds(elements[j]) && (elements[i] != elements[j] || j < i);
    };
    bool implied = false;
    for (std::size_t j = 0; j < elements.size() && !implied; ++j) implied = implies(j);
    if (!implied) kept.push_back(elements[i]);
  }
  return kept;
}

class Search {
 public:
  Search(Elements elements, std::size_t sets, std::uint64_t most_nodes)
      : elements_(std::move(elements)), sets_(sets), most_nodes_(most_nodes), allowed_(sets) {
    for (std::size_t s = 0; s < sets; ++s) allowed_.set(s);
  }

  Cover run() {
    reduce();
    std::vector<std::size_t> all(elements_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    best_ = greedy();
    const std::size_t at_root = bound(all);
    descend(all);
    std::ranges::sort(best_);
    return {best_, nodes_ > most_nodes_ ? at_root : best_.size()};
  }

 private:
  // What one reduction takes out makes room for the other.
  void reduce() {
    std::size_t before = 0;
    do {
      before = elements_.size();
      elements_ = without_implied(elements_);
      forbid_held_sets();
    } while (elements_.size() != before);
  }

  Bits members(std::size_t s) const {
    Bits members(elements_.size());
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      if (elements_[e].test(s)) members.set(e);
    }
    return members;
  }

  void forbid_held_sets() {
    std::vector<Bits> of;
    for (std::size_t s = 0; s < sets_; ++s) of.push_back(members(s));
    for (std::size_t s = 0; s < sets_; ++s) {
      for (std::size_t t = 0; t < sets_ && allowed_.test(s); ++t) {
        if (s == t || !allowed_.test(t) || !of[t].holds(of[s])) continue;
        if (of[t] != of[s] || t < s) allowed_.reset(s);
      }
    }
    for (Bits& element : elements_) element = element.common(allowed_);
  }

  std::vector<std::size_t> held_by(const Bits& element) const {
    std::vector<std::size_t> sets;
    for (std::size_t s = 0; s < sets_; ++s) {
      if (element.test(s) && allowed_.test(s)) sets.push_back(s);
    }
    return sets;
  }

  std::vector<std::size_t> not_in(const std::vector<std::size_t>& open, std::size_t set) const {
    std::vector<std::size_t> left;
    for (const std::size_t e : open) {
      if (!elements_[e].test(set)) left.push_back(e);
    }
    return left;
  }

  std::vector<std::size_t> greedy() const {
    std::vector<std::size_t> open(elements_.size()), taken;
    std::iota(open.begin(), open.end(), std::size_t{0});
    while (!open.empty()) {
      std::vector<std::size_t> covers(sets_);
      for (const std::size_t e : open) {
        for (const std::size_t s : held_by(elements_[e])) ++covers[s];
      }
      const auto most = static_cast<std::size_t>(std::ranges::max_element(covers) - covers.begin());
      taken.push_back(most);
      open = not_in(open, most);
    }
    return taken;
  }

  // Elements no two of which are in one set need a set each.
  std::size_t bound(std::vector<std::size_t> open) const {
    std::ranges::stable_sort(open, {}, [&](std::size_t e) { return choices(e); });
    Bits touched(sets_);
    std::size_t apart = 0;
    for (const std::size_t e : open) {
      const Bits here = elements_[e].common(allowed_);
      if (here.meets(touched)) continue;
      touched.add(here);
      ++apart;
    }
    return apart;
  }

  std::size_t choices(std::size_t element) const {
    return elements_[element].common(allowed_).count();
  }

  void descend(const std::vector<std::size_t>& open) {
    if (++nodes_ > most_nodes_ || chosen_.size() + bound(open) >= best_.size()) return;
    if (open.empty()) {
      best_ = chosen_;
      return;
    }
    const std::size_t tightest =
        *std::ranges::min_element(open, {}, [&](std::size_t e) { return choices(e); });
    const std::vector<std::size_t> sets = held_by(elements_[tightest]);
    for (const std::size_t s : sets) {
      chosen_.push_back(s);
      descend(not_in(open, s));
      chosen_.pop_back();
      // Whatever holds it has been tried.
      allowed_.reset(s);
    }
    for (const std::size_t s : sets) allowed_.set(s);
  }

  Elements elements_;
  std::size_t sets_;
  std::uint64_t most_nodes_;
  std::uint64_t nodes_ = 0;
  Bits allowed_;  // on the way to this node
  std::vector<std::size_t> chosen_, best_;
};

// A method asked for where it cannot run as itself runs as its fallback, and may be good so.
bool is_within(const Timings& timings, std::size_t instance, const Method& method, double within) {
  return timings.time_of(instance, method).known_us() <=
         (1 + within) * timings.least_known_us(instance);
}

std::optional<std::size_t> fastest(const Timings& timings, std::size_t instance,
                                   const std::vector<Method>& methods) {
  std::vector<double> times_us;
  for (const Method& method : methods)
    times_us.push_back(timings.time_of(instance, method).known_us());
  return best_method(times_us);
}

void count_members(const Timings& timings, double within, Portfolio& portfolio) {
  const std::vector<Method> methods = portfolio.methods();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const auto first = fastest(timings, i, methods);
    if (!first) continue;
    ++portfolio.members[*first].best_at;
    const auto good = [&](const Method& method) { return is_within(timings, i, method, within); };
    if (std::ranges::count_if(methods, good) == 1) ++portfolio.members[*first].needed_at;
  }
}

void count_cells(const Timings& timings, Portfolio& portfolio) {
  double all_us = 0, us = 0;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    const bool member = std::ranges::any_of(portfolio.members, [&](const PortfolioMember& one) {
      return one.method == timings.methods[m];
    });
    std::size_t cells = 0;
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const double time_us = timings.at(i, m).known_us();
      if (std::isnan(time_us)) continue;
      ++cells;
      all_us += time_us;
      if (member) us += time_us;
    }
    portfolio.all_cells += cells;
    if (member) portfolio.cells += cells;
    if (cells > 0) ++portfolio.of_methods;
  }
  portfolio.time_share = all_us > 0 ? us / all_us : 0;
}

}  // namespace

Cover least_cover(const std::vector<std::vector<std::size_t>>& holders, std::size_t sets,
                  std::uint64_t most_nodes) {
  Elements elements;
  for (const std::vector<std::size_t>& of : holders) {
    Bits element(sets);
    for (const std::size_t s : of) element.set(s);
    elements.push_back(std::move(element));
  }
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return Search(std::move(elements), sets, most_nodes).run();
}

std::vector<Method> Portfolio::methods() const {
  std::vector<Method> methods;
  for (const PortfolioMember& member : members) methods.push_back(member.method);
  return methods;
}

Portfolio find_portfolio(const Timings& timings, double within) {
  std::vector<std::vector<std::size_t>> good;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    std::vector<std::size_t> here;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      if (is_within(timings, i, timings.methods[m], within)) here.push_back(m);
    }
    if (!here.empty()) good.push_back(std::move(here));
  }
  const Cover cover = least_cover(good, timings.methods.size());
  Portfolio portfolio;
  portfolio.at_least = cover.at_least;
  for (const std::size_t m : cover.sets) portfolio.members.push_back({timings.methods[m]});
  count_members(timings, within, portfolio);
  count_cells(timings, portfolio);
  return portfolio;
}

PenaltyPoints penalty_of_choosing_among(const Timings& timings,
                                        const std::vector<Method>& methods) {
  std::map<Instance, Method> chosen;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    // Where none can run, the first: charged as the slowest.
    chosen[timings.instances[i]] = methods[fastest(timings, i, methods).value_or(0)];
  }
  return penalty_points(timings, [&](const Instance& at) { return chosen.at(at); });
}

}  // namespace colltree::evaluate
