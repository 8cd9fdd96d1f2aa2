// SPDX-License-Identifier: BSD-3-Clause
// SimGrid SMPI: --cfg=smpi/<collective>:NAME, options of smpirun. One algorithm a collective:
// neither size can be asked.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/targets/targets.h"

namespace colltree {

namespace {

// Of SimGrid 3.32.
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
    {Collective::kReduceScatter, "recursive_halving", "ompi_basic_recursivehalving"},
    {Collective::kReduceScatter, "ring", "ompi_ring"},
    {Collective::kReduceScatter, "butterfly", "ompi_butterfly"},
};

std::string write_smpi(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n# smpirun $(grep -v '^#' FILE) ...\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    if (one.rules.empty() || is_library_default(one.rules[0].method)) continue;
    text += fmt::format("--cfg=smpi/{}:{}\n", name(one.collective), one.rules[0].method.algorithm);
  }
  return text;
}

constexpr std::string_view kOption = "--cfg=";
constexpr std::string_view kGroup = "smpi/";

class SmpiReader {
 public:
  explicit SmpiReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    bool any = false;
    for (const std::string_view text : split(content, '\n')) {
      ++line_;
      if (trim(text).starts_with('#')) continue;
      for (const std::string_view word : split(text, ' ')) {
        if (trim(word).empty()) continue;
        any = true;
        option(trim(word));
      }
    }
    if (!any) file_.error(0, "no option: the file has no rules");
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }

  void option(std::string_view word) {
    if (!word.starts_with(kOption) || word.find('/') == std::string_view::npos) {
      return error(fmt::format("'{}' is no option --cfg=smpi/<collective>:NAME", word));
    }
    word.remove_prefix(kOption.size());
    if (!word.starts_with(kGroup)) {
      return file_.warn(line_, fmt::format("'{}' chooses no algorithm", word));
    }
    word.remove_prefix(kGroup.size());
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      return error(fmt::format("'{}' is no <collective>:NAME", word));
    }
    chosen(word.substr(0, colon), std::string(word.substr(colon + 1)));
  }

  void chosen(std::string_view word, const std::string& algorithm) {
    if (word == "coll-selector") {
      return file_.warn(line_, fmt::format("coll-selector:{} is not taken into account here: it "
                                           "chooses for the collectives without an option",
                                           algorithm));
    }
    const auto collective = read_collective(target_, word, line_, file_);
    if (!collective) return;
    const std::vector<std::string> names = target_names(target_, *collective);
    if (std::ranges::count(names, algorithm) == 0) {
      return error(fmt::format("{} has no algorithm '{}' that is known here{}", word, algorithm,
                               did_you_mean(algorithm, names)));
    }
    if (!seen_.insert(*collective).second) {
      error(fmt::format("{} stands twice: the last one counts", word));
    }
    file_.rules.of(*collective).rules = {{.method = {algorithm, 0}, .line = line_}};
  }

  const RuleTarget& target_;
  RuleFile file_;
  std::set<Collective> seen_;
  std::size_t line_ = 0;
};

RuleFile read_smpi(const RuleTarget& target, std::string_view content) {
  return SmpiReader(target).read(content);
}

std::optional<SizeKey> smpi_size_key(Collective collective) {
  if (!has_names(kSmpiNames, collective)) return std::nullopt;
  return SizeKey::kNone;
}

}  // namespace

RuleTarget targets::smpi() {
  return {.name = "smpi",
          .summary = "options of smpirun",
          .versions = {"SimGrid", "", "4.0", "run: 3.32"},
          .has_communicator_size = false,
          .size_key = smpi_size_key,
          .names = kSmpiNames,
          .express = express_named,
          .write = write_smpi,
          .read = read_smpi};
}

}  // namespace colltree
