// SPDX-License-Identifier: BSD-3-Clause
// Options of smpirun, --cfg=smpi/<collective>:NAME, for SimGrid SMPI. A collective has one
// algorithm, because options cannot ask for a size.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "rules/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

// Names in SimGrid 3.32.
constexpr NamedMethod kSmpiNames[] = {
    {Collective::kBcast, "linear basic_linear", "flattree"},
    {Collective::kBcast, "binomial", "binomial_tree"},
    {Collective::kBcast, "split_binary", "ompi_split_bintree"},
    {Collective::kBcast, "pipeline chain", "ompi_pipeline"},
    {Collective::kBcast, "scatter_allgather", "scatter_rdb_allgather"},
    {Collective::kBcast, "scatter_allgather_ring", "scatter_LR_allgather"},
    {Collective::kReduce, "linear basic_linear", "ompi_basic_linear"},
    {Collective::kReduce, "binomial", "ompi_binomial"},
    {Collective::kReduce, "binary", "ompi_binary"},
    {Collective::kReduce, "pipeline", "ompi_pipeline"},
    {Collective::kReduce, "chain", "ompi_chain"},
    {Collective::kReduce, "in_order_binary", "ompi_in_order_binary"},
    {Collective::kReduce, "rabenseifner", "scatter_gather"},
    {Collective::kAllreduce, "recursive_doubling", "rdb"},
    {Collective::kAllreduce, "ring", "lr"},
    {Collective::kAllreduce, "segmented_ring", "ompi_ring_segmented"},
    {Collective::kAllreduce, "rabenseifner", "rab_rdb"},
    {Collective::kAlltoall, "linear basic_linear", "basic_linear"},
    {Collective::kAlltoall, "ring", "ring"},
    {Collective::kAlltoall, "pairwise", "pair"},
    {Collective::kAlltoall, "bruck modified_bruck", "bruck"},
    {Collective::kAllgather, "bruck brucks", "bruck"},
    {Collective::kAllgather, "ring", "ring"},
    {Collective::kAllgather, "recursive_doubling", "rdb"},
    {Collective::kAllgather, "neighbor", "ompi_neighborexchange"},
    {Collective::kGather, "binomial", "ompi_binomial"},
    {Collective::kGather, "linear basic_linear", "ompi_basic_linear"},
    {Collective::kGather, "linear_sync", "ompi_linear_sync"},
    {Collective::kScatter, "binomial", "ompi_binomial"},
    {Collective::kScatter, "linear basic_linear", "ompi_basic_linear"},
    {Collective::kScatter, "linear_nb", "ompi_linear_nb"},
    {Collective::kBarrier, "linear basic_linear", "ompi_basic_linear"},
    {Collective::kBarrier, "recursive_doubling", "ompi_recursivedoubling"},
    {Collective::kBarrier, "bruck", "ompi_bruck"},
    {Collective::kBarrier, "tree", "ompi_tree"},
    {Collective::kBarrier, "double_ring", "ompi_doublering"},
    {Collective::kAllgatherv, "", "ring"},
    {Collective::kAllgatherv, "bruck brucks", "ompi_bruck"},
    {Collective::kAllgatherv, "neighbor", "ompi_neighborexchange"},
    {Collective::kAlltoallv, "linear basic_linear", "ompi_basic_linear"},
    {Collective::kAlltoallv, "pairwise", "pair"},
    {Collective::kReduceScatter, "recursive_halving", "ompi_basic_recursivehalving"},
    {Collective::kReduceScatter, "ring", "ompi_ring"},
    {Collective::kReduceScatter, "butterfly", "ompi_butterfly"},
};

// Further names that smpirun 3.32 lists and accepts: algorithms that match none of ours, and
// what the libraries that it imitates would choose.
constexpr std::string_view kSmpiSelectors = "ompi mpich mvapich2 impi automatic";
constexpr std::pair<Collective, std::string_view> kSmpiOthers[] = {
    {Collective::kAllgather,
     "2dmesh 3dmesh GB loosely_lr NTSLR NTSLR_NB pair rhv SMP_NTS smp_simple spreading_simple "
     "mvapich2_smp"},
    {Collective::kAllgatherv, "GB pair mpich_rdb mpich_ring"},
    {Collective::kAllreduce,
     "rab1 rab2 smp_binomial smp_binomial_pipeline smp_rdb smp_rsag smp_rsag_lr smp_rsag_rab "
     "redbcast mvapich2_rs mvapich2_two_level rab"},
    {Collective::kAlltoall,
     "2dmesh 3dmesh pair_rma pair_light_barrier pair_mpi_barrier pair_one_barrier rdb "
     "ring_light_barrier ring_mpi_barrier ring_one_barrier mvapich2_scatter_dest"},
    {Collective::kAlltoallv,
     "bruck pair_light_barrier pair_mpi_barrier pair_one_barrier ring ring_light_barrier "
     "ring_mpi_barrier ring_one_barrier"},
    {Collective::kBarrier, "ompi_two_procs mpich_smp mvapich2_pair"},
    {Collective::kBcast,
     "arrival_pattern_aware arrival_pattern_aware_wait arrival_scatter flattree_pipeline NTSB NTSL "
     "NTSL_Isend SMP_binary SMP_binomial SMP_linear mvapich2_inter_node mvapich2_intra_node "
     "mvapich2_knomial_intra_node"},
    {Collective::kGather, "mvapich2_two_level"},
    {Collective::kReduce,
     "arrival_pattern_aware binomial flat_tree NTSL mvapich2_knomial mvapich2_two_level rab"},
    {Collective::kReduceScatter, "mpich_pair mpich_rdb mpich_noncomm"},
    {Collective::kScatter, "mvapich2_two_level_binomial mvapich2_two_level_direct"},
};

std::vector<std::string> smpi_names(const RuleTarget& target, Collective collective) {
  std::vector<std::string> names = target_names(target, collective);
  const auto* others =
      std::ranges::find(kSmpiOthers, collective, &std::pair<Collective, std::string_view>::first);
  for (const std::string_view list : {others->second, kSmpiSelectors}) {
    for (const std::string_view name : split(list, ' ')) names.emplace_back(name);
  }
  return names;
}

constexpr std::string_view kOption = "--cfg=";
constexpr std::string_view kGroup = "smpi/";

class SmpiReader {
 public:
  explicit SmpiReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    for (const std::string_view text : split(content, '\n')) {
      ++line_;
      if (!trim(text).starts_with('#')) words(text);
    }
    if (!file_.runs.empty()) {
      end_run();
      file_.rules = file_.runs.back().rules;
    }
    if (!any_) file_.error(0, "no option --cfg=smpi/<collective>:NAME: the file has no rules");
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }
  void warn(std::string text) { file_.warn(line_, std::move(text)); }

  // All other words are options of smpirun itself or of the program.
  void words(std::string_view text) {
    for (const BlankToken& token : blank_tokens(text)) {
      const std::string_view word = token.text;
      if (word.ends_with("smpirun")) {
        if (run_line_ != 0) end_run();
        run_line_ = line_;
      } else if (word.starts_with(kOption)) {
        option(word);
      } else if (const std::size_t position = word.find(kGroup);
                 position != std::string_view::npos &&
                 word.find(':', position) != std::string_view::npos) {
        error(fmt::format("'{}' is no option --cfg=smpi/<collective>:NAME", word));
      }
    }
    if (text.find('#') != std::string_view::npos)
      warn("a comment behind an option: grep -v '^#' leaves it");
  }

  // Each command has options of its own.
  void end_run() {
    file_.runs.push_back({run_line_, file_.rules});
    file_.rules = {};
    seen_.clear();
  }

  void option(std::string_view word) {
    if (word.find('/') == std::string_view::npos) {
      return error(fmt::format("'{}' is no option --cfg=smpi/<collective>:NAME", word));
    }
    word.remove_prefix(kOption.size());
    if (!word.starts_with(kGroup)) return;
    word.remove_prefix(kGroup.size());
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      return error(fmt::format("'{}' is no <collective>:NAME", word));
    }
    chosen(word.substr(0, colon), std::string(word.substr(colon + 1)));
  }

  void chosen(std::string_view word, const std::string& algorithm) {
    if (word == "coll-selector") {
      any_ = true;
      return warn(
          fmt::format("coll-selector:{} is not taken into account here: it chooses for the "
                      "collectives without an option",
                      algorithm));
    }
    const std::optional<Collective> collective = collective_of(word);
    if (!collective) return;
    any_ = true;
    const std::vector<std::string> names = smpi_names(target_, *collective);
    const bool is_default = algorithm == kDefaultAlgorithm;
    if (!is_default && std::ranges::count(names, algorithm) == 0) {
      return error(fmt::format("{} has no algorithm '{}'{}", word, algorithm,
                               did_you_mean(algorithm, names)));
    }
    if (!seen_.insert(*collective).second) {
      warn(fmt::format("{} stands twice: the last one counts", word));
    }
    file_.rules.rules_for(*collective).rules = {
        {.method = is_default ? library_default() : Method{algorithm, 0}, .line = line_}};
  }

  // SMPI has many options; only those of collectives choose algorithms.
  std::optional<Collective> collective_of(std::string_view word) {
    const std::vector<std::string> names = collectives_of(target_);
    if (std::ranges::count(names, word) > 0) return find_collective(word);
    const std::string hint = did_you_mean(lower(word), names);
    if (!hint.empty() || std::ranges::count(names, lower(word)) > 0) {
      error(fmt::format("unknown collective '{}'{}", word, hint));
    } else {
      warn(fmt::format("'smpi/{}' is no collective that is known here", word));
    }
    return std::nullopt;
  }

  const RuleTarget& target_;
  RuleFile file_;
  std::set<Collective> seen_;
  bool any_ = false;  // something chooses algorithms
  std::size_t line_ = 0;
  std::size_t run_line_ = 0;  // of the command smpirun; 0: options alone
};

class SmpiTarget final : public NamedTarget {
 public:
  using NamedTarget::NamedTarget;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n# smpirun $(grep -v '^#' FILE) ...\n", comment);
    for (const CollectiveRules& collective_rules : rules.collectives) {
      if (collective_rules.rules.empty() || is_library_default(collective_rules.rules[0].method))
        continue;
      text += fmt::format("--cfg=smpi/{}:{}\n", colltree::name(collective_rules.collective),
                          collective_rules.rules[0].method.algorithm);
    }
    return text;
  }
  RuleFile read(std::string_view content) const override { return SmpiReader(*this).read(content); }

 private:
  SizeKey key_of(Collective) const override { return SizeKey::kNone; }
};

}  // namespace

RuleTargets targets::smpi() {
  return targets_with<SmpiTarget>(
      {{.name = "smpi",
        .summary = "options of smpirun",
        .versions = {"SimGrid", "", "4.0", "run: 3.32; 4.0 by its sources"},
        .has_communicator_size = false,
        .names = kSmpiNames,
        .sign = kGroup}});
}

}  // namespace colltree::rules
