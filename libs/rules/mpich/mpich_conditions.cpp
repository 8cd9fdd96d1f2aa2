// SPDX-License-Identifier: BSD-3-Clause
#include "rules/mpich/mpich_conditions.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree::rules {

namespace {

// The conditions of a file and the collectives for which they can be asked, by their blocking
// names; what holds for a name holds with an "i" in front of it.
struct Condition {
  std::string_view key;
  std::string_view values;       // "<=N", "<N" as "#"; else words
  std::string_view collectives;  // "" = all
};
constexpr std::string_view kReductions = " reduce allreduce reduce_scatter reduce_scatter_block ";
constexpr Condition kConditions[] = {
    {"comm_type", "intra inter", ""},
    {"comm_size", "# pow2 node_comm_size any", ""},
    {"comm_avg_ppn", "#", ""},
    {"comm_hierarchy", "parent node_roots node flat any", ""},
    {"is_node_consecutive", "yes no", ""},
    {"is_multi_threaded", "yes no", ""},
    {"avg_msg_size", "# any", " bcast reduce allreduce alltoall "},
    {"total_msg_size", "# any",
     " bcast reduce allreduce alltoall alltoallv alltoallw allgather allgatherv reduce_scatter "
     "reduce_scatter_block gather scatter "},
    {"count", "# pow2 any",
     " bcast reduce allreduce allgather allgatherv reduce_scatter reduce_scatter_block "},
    {"is_commutative", "yes no", kReductions},
    {"is_op_built_in", "yes no", " reduce allreduce "},
    {"is_sendbuf_inplace", "yes no", " alltoall alltoallv alltoallw "},
    {"is_block_regular", "yes no", " reduce_scatter "},
};

bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && std::ranges::count(split(words, ' '), word) > 0;
}

std::string blocking(std::string_view collective) {
  return std::string(collective.substr(collective.starts_with("i") ? 1 : 0));
}

std::string known_values(const Condition& known) {
  std::string text;
  for (const std::string_view name : split(known.values, ' ')) {
    text += text.empty() ? "" : ", ";
    text += name == "#" ? std::string("<=N") : "=" + std::string(name);
  }
  return text;
}

MpichComplaint check_number(const MpichTest& test, std::string_view written, bool below_call) {
  const std::int64_t most = greatest_value(test, below_call);
  const auto value = parse_number<std::int64_t>(test.value);
  if (!value || *value < 0 || *value > INT_MAX) {
    const std::string read = most < 0 ? "never holds" : fmt::format("is read as \"<={}\"", most);
    return {fmt::format("\"{}\" {}", written, read)};
  }
  if (test.comparison == "<" && most == *value)
    return {fmt::format("\"{}\" below a test of the call is read as \"<=\"; write {}<={}", written,
                        test.key, *value - 1)};
  return {};
}

MpichComplaint check_value(const Condition& known, const MpichTest& test, std::string_view written,
                           bool below_call) {
  const bool of_powers = test.key == "count" && test.value == "pow2";
  if (test.comparison == "<" && of_powers) return {};
  const bool number = test.comparison == "<=" || (test.comparison == "<" && test.key != "count");
  if (number && has_word(known.values, "#")) return check_number(test, written, below_call);
  if (test.comparison == "=" && has_word(known.values, test.value) && test.value != "#" &&
      !of_powers) {
    return {};
  }
  return {fmt::format("\"{}\": '{}{}' is no value of {}; known are {}; MPICH aborts in MPI_Init",
                      written, test.comparison, test.value, test.key, known_values(known)),
          Severity::kError};
}

// Tests of values that can differ between ranks: arguments that are ignored on some ranks, sums
// over a rank's own blocks, counts of types that ranks choose differently, properties of the
// process.
struct LocalTest {
  std::string_view key;
  std::string_view collectives;  // "" = all
  bool only_in_place;
  std::string_view why;
};
constexpr LocalTest kLocalTests[] = {
    {"avg_msg_size", " alltoall ", true, "MPI_IN_PLACE ignores the send arguments"},
    {"total_msg_size", " alltoall ", true, "MPI_IN_PLACE ignores the send arguments"},
    {"total_msg_size", " alltoallv alltoallw ", false, "each rank sums its own blocks"},
    {"total_msg_size", " gather scatter ", false, "each rank multiplies its own count"},
    {"count", " bcast allgather allgatherv ", false, "each rank may count in another type"},
    {"is_multi_threaded", "", false, "each process has its own thread level"},
};

}  // namespace

std::string local_answer(std::string_view collective, const MpichTest& test, bool not_in_place) {
  if (test.value == "any") return {};
  for (const LocalTest& local_test : kLocalTests) {
    if (local_test.key != test.key || (local_test.only_in_place && not_in_place)) continue;
    if (local_test.collectives.empty() || has_word(local_test.collectives, blocking(collective))) {
      return std::string(local_test.why);
    }
  }
  return {};
}

MpichTest split_test(std::string_view written) {
  std::string text(written);
  std::erase(text, ' ');
  const std::size_t position = text.find_first_of("<=");
  if (position == std::string::npos) return {text, "", ""};
  const std::size_t behind = position + (text.compare(position, 2, "<=") == 0 ? 2 : 1);
  return {text.substr(0, position), text.substr(position, behind - position), text.substr(behind)};
}

std::int64_t greatest_value(const MpichTest& test, bool below_call) {
  const auto value = static_cast<std::int32_t>(std::strtol(test.value.c_str(), nullptr, 10));
  const bool inclusive = test.comparison == "<=" || (below_call && test.key.starts_with("comm_"));
  return inclusive ? value : std::int64_t{value} - 1;
}

bool may_stay_open(const MpichTest& test) {
  return test.key.starts_with("is_") || test.key == "comm_type" ||
         (test.key == "comm_hierarchy" && test.value != "any");
}

bool is_blind_to_its_own(const RuleTarget& target) { return target.version >= 50; }

bool is_of_communicator(const MpichTest& test) {
  return test.key.starts_with("comm_") || test.key == "is_node_consecutive";
}

MpichFacts facts_of(const MpichTest& test) {
  static const std::map<std::string, std::uint32_t> kByKey = {
      {"is_commutative", kCommutative},
      {"is_op_built_in", kBuiltInOperation},
      {"is_block_regular", kRegularBlocks},
      {"is_node_consecutive", kConsecutiveNodes},
      {"is_sendbuf_inplace", kInPlace}};
  if (test.key == "comm_size" && test.value == "pow2") return {kPowerOfTwo, true};
  if (test.key == "comm_hierarchy" && test.value == "parent") return {kHierarchy, true};
  if (test.key == "comm_hierarchy" && test.value == "flat") return {kHierarchy, false};
  if (test.key == "count" && test.value == "pow2") return {kCountAtLeastPowerOfTwo, false};
  const auto found = kByKey.find(test.key);
  if (found == kByKey.end()) return {};
  return {found->second, test.value == "yes"};
}

MpichComplaint check_condition(std::string_view collective, const MpichTest& test,
                               std::string_view written, bool below_call) {
  std::vector<std::string> names;
  const Condition* known = nullptr;
  for (const Condition& known_condition : kConditions) {
    names.emplace_back(known_condition.key);
    if (known_condition.key == test.key) known = &known_condition;
  }
  if (known == nullptr) {
    return {fmt::format("unknown condition \"{}\"{}; MPICH aborts in MPI_Init", written,
                        did_you_mean(test.key, names)),
            Severity::kError};
  }
  if (!known->collectives.empty() && !has_word(known->collectives, blocking(collective))) {
    return {fmt::format("\"{}\" cannot be asked of this collective: the call aborts", test.key),
            Severity::kUnsafe};
  }
  return check_value(*known, test, written, below_call);
}

std::vector<std::string_view> unmet_guards(std::uint32_t needs, const Rule& path) {
  static constexpr std::pair<std::uint32_t, std::string_view> kGuards[] = {
      {kPowerOfTwo, "comm_size=pow2"},           {kCommutative, "is_commutative=yes"},
      {kBuiltInOperation, "is_op_built_in=yes"}, {kCountAtLeastPowerOfTwo, "count<pow2 before it"},
      {kRegularBlocks, "is_block_regular=yes"},  {kInPlace, "is_sendbuf_inplace=yes"},
      {kNotInPlace, "is_sendbuf_inplace=no"}};
  std::uint32_t met = path.required;
  if ((path.excluded & kInPlace) != 0) met |= kNotInPlace;
  // An operation of MPI itself is commutative (op_impl.c).
  if ((met & kBuiltInOperation) != 0) met |= kCommutative;
  const Span& ranks = path.communicator_size;
  const bool is_single = std::max<std::uint64_t>(ranks.least, 1) == ranks.most;
  if (is_single && std::has_single_bit(ranks.most)) met |= kPowerOfTwo;
  std::vector<std::string_view> unmet;
  for (const auto& [need, guard] : kGuards) {
    if ((needs & ~met & need) != 0) unmet.push_back(guard);
  }
  return unmet;
}

}  // namespace colltree::rules
