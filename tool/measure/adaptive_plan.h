// SPDX-License-Identifier: BSD-3-Clause
// The plan of an adaptive campaign chooses the next cells. It takes those=> campaign measures next:
// the cells that improve the choice of methods most for their cost (surrogate/next_cells.h), all
// collectives together, within the budget.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "measure/campaign_request.h"
#include "protocol/plan.h"
#include "surrogate/next_cells.h"

namespace colltree::measure {

class AdaptivePlan {
 public:
  // The estimated cost in seconds of a cell whose time is about `time_us`.
  using Cost = std::function<double(const protocol::PlanCell&, double time_us)>;

  // `wanted`: every cell of the grid.
  AdaptivePlan(std::span<const protocol::PlanCell> wanted, const Budget& budget, Cost cost);

  void measured(const protocol::PlanCell& cell, std::span<const double> samples_us);
  void cannot_run(const protocol::PlanCell& cell);  // or failed

  struct Round {
    std::vector<protocol::PlanCell> cells;  // empty: enough is known, or the budget is used up
    bool contested = false;                 // the decision hangs on them: they deserve every sample
  };
  // `used_s`: since the campaign began; `end_s`: what the job takes to end, which a budget of time
  // must still hold. Looks at what was measured since last time. With such a budget the library's
  // own choice is measured at every instance first, and no round begins that would pass it.
  Round next(double used_s, double end_s = 0);

  // The cells that are measured before anything can be chosen, if nothing is known yet and no
  // budget ends the campaign.
  std::vector<protocol::PlanCell> first() const;

  void conclude() { take_in_fresh(); }  // the last round counts, too
  // The mean penalty, a fraction, over all instances of the method that is best as far as is known.
  double expected_penalty() const;
  std::size_t left() const;  // cells that are neither measured nor known not to run
  // Why there is no next round, in a sentence; "" where the budget is used up or nothing is left to
  // measure.
  std::string why_stopped(double used_s) const;
  // "expected penalty 0.8 %, 40 % of the budget"
  std::string status(double used_s) const;
  // The share of the budget used, between 0 and 1; 0 for a campaign without a budget.
  double used(double used_s) const;

 private:
  struct OfCollective {
    std::vector<Method> methods;
    surrogate::Surrogate surrogate;
    std::vector<std::uint64_t> ranks_per_node;  // by row of the grid
    // Cells of the library's own choice in random order, the next ones last: what is chosen is
    // compared with it, so it is measured whether its knowledge changes a choice or not.
    std::vector<surrogate::GridCell> default_cells = {};
    double spent_on_default = 0;
  };
  struct Ranked {
    protocol::PlanCell cell;
    bool contested;
  };

  OfCollective& state_of(const protocol::PlanCell& cell);
  surrogate::GridCell grid_cell(const OfCollective& state, const protocol::PlanCell& cell) const;
  static protocol::PlanCell plan_cell(Collective collective, const OfCollective& state,
                                      surrogate::GridCell cell);
  void start();
  void take_in_fresh();
  std::optional<Interval> least_loss(std::string_view setting, std::string_view beside) const;
  void drop_hopeless();
  void drop(const std::string& setting);
  void refill();
  static double expected_loss(
      const OfCollective& state);  // summed over all instances, a fraction each
  void rank(Collective collective, OfCollective& state, std::size_t count);
  void queue_default(OfCollective& state, Collective collective);
  void queue_every_default();
  void note_pace(double used_s);
  bool until_reached() const;
  double spent_share() const;
  double expected_cost_s(const protocol::PlanCell& cell);
  double weight(const protocol::PlanCell& cell, double time_us) const;

  Budget budget_;
  Cost cost_;
  std::map<Collective, OfCollective> collectives_;
  std::set<std::string> settings_ = {""};  // that may be chosen; "": the plain job
  std::map<protocol::PlanCell, std::vector<double>> fresh_;  // measured since the last look, us
  std::vector<Ranked> queue_;                                // the next ones last
  double spent_ = 0;    // by weight: in cells where these are the budget, else in expected seconds
  double round_s_ = 0;  // expected, of the latest round
  double round_began_s_ = 0;
  double slowness_ = 1;   // what a round takes over what it was expected to
  bool is_full_ = false;  // what is left of the budget of time holds no further round
  double first_end_ = 0;  // the share of the budget at which the first cells are cut short
  std::size_t measured_ = 0;
  std::size_t wanted_ = 0;
  double spent_share_ = 0;  // as of the last look; only where the budget is a share
  bool begun_ = false;      // the first cells are chosen
  bool started_ = false;    // and measured: adaptive from now on
};

}  // namespace colltree::measure
