// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include "coll/catalogue.h"
#include "decision/grid.h"
#include "evaluate/contender.h"

namespace colltree {

namespace {

double octaves(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

// One or two values of an axis and how much each counts.
struct Weighted {
  std::size_t index;
  double weight;
};

// Of the ascending positions those around `size`; beyond the ends the end.
std::vector<Weighted> around(const std::vector<std::uint64_t>& sizes,
                             const std::vector<std::size_t>& positions, std::uint64_t size) {
  const auto next =
      std::ranges::lower_bound(positions, size, {}, [&](std::size_t i) { return sizes[i]; });
  if (next == positions.end()) return {{positions.back(), 1}};
  if (next == positions.begin() || sizes[*next] == size) return {{*next, 1}};
  const std::size_t low = *(next - 1);
  const double share =
      (octaves(size) - octaves(sizes[low])) / (octaves(sizes[*next]) - octaves(sizes[low]));
  return {{low, 1 - share}, {*next, share}};
}

class LogLogTimes {
 public:
  explicit LogLogTimes(const Timings& timings)
      : timings_(timings),
        grid_(make_grid(timings)),
        columns_of_row_(grid_.communicator_sizes.size()),
        rows_of_column_(grid_.message_sizes.size()) {
    for (std::size_t row = 0; row < columns_of_row_.size(); ++row) {
      rows_.push_back(row);
      for (std::size_t column = 0; column < rows_of_column_.size(); ++column) {
        if (row == 0) columns_.push_back(column);
        if (!instance(row, column)) continue;
        columns_of_row_[row].push_back(column);
        rows_of_column_[column].push_back(row);
      }
    }
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
      for (const Method& method : timings_.methods) {
        log_times_.push_back(std::log(timings_.time_of(i, method)));
      }
    }
  }

  Method choose(const Instance& at) const {
    const std::vector<Term> terms = terms_for(at);
    std::size_t best = 0;
    double least = INFINITY;
    for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
      if (effective_method(timings_.methods[m], at) != timings_.methods[m]) continue;
      const double time = predicted(terms, m);
      if (time < least) {
        least = time;
        best = m;
      }
    }
    // Where no method has all the points it needs, the nearest point with any decides.
    return least < INFINITY ? timings_.methods[best] : best_of_heaviest(terms);
  }

 private:
  struct Term {
    std::size_t instance;
    double weight;
  };

  const std::optional<std::size_t>& instance(std::size_t row, std::size_t column) const {
    return grid_.instance[row * grid_.message_sizes.size() + column];
  }

  // Along message sizes within the rows around, and along communicator sizes within the columns
  // around: on a full grid the same.
  std::vector<Term> terms_for(const Instance& at) const {
    std::vector<Term> terms;
    for (const Weighted& row : around(grid_.communicator_sizes, rows_, at.communicator_size)) {
      for (const Weighted& column :
           around(grid_.message_sizes, columns_of_row_[row.index], at.message_size)) {
        terms.push_back({*instance(row.index, column.index), row.weight * column.weight / 2});
      }
    }
    for (const Weighted& column : around(grid_.message_sizes, columns_, at.message_size)) {
      for (const Weighted& row :
           around(grid_.communicator_sizes, rows_of_column_[column.index], at.communicator_size)) {
        terms.push_back({*instance(row.index, column.index), row.weight * column.weight / 2});
      }
    }
    return terms;
  }

  // NaN when one of the points has no time.
  double predicted(const std::vector<Term>& terms, std::size_t method) const {
    double sum = 0;
    for (const Term& term : terms) {
      sum += term.weight * log_times_[term.instance * timings_.methods.size() + method];
    }
    return sum;
  }

  Method best_of_heaviest(const std::vector<Term>& terms) const {
    const Term heaviest = *std::ranges::max_element(terms, {}, &Term::weight);
    std::size_t best = 0;
    double least = INFINITY;
    for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
      const double time = timings_.at(heaviest.instance, m);
      if (time < least) {
        least = time;
        best = m;
      }
    }
    return timings_.methods[best];
  }

  Timings timings_;
  InstanceGrid grid_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::vector<std::vector<std::size_t>> columns_of_row_;
  std::vector<std::vector<std::size_t>> rows_of_column_;
  std::vector<double> log_times_;  // instances x methods
};

}  // namespace

Contender interpolation() {
  return {"interpolation", [](const std::vector<Timings>& timings) -> FittedChooser {
            auto times = std::make_shared<std::map<Collective, LogLogTimes>>();
            for (const Timings& one : timings) times->emplace(one.collective, one);
            return {[times](const Instance& instance) {
                      return times->at(instance.collective).choose(instance);
                    },
                    "", nullptr};
          }};
}

}  // namespace colltree
