// SPDX-License-Identifier: BSD-3-Clause
#include "rank/library_selector.h"

#include <cstdlib>
#include <map>
#include <vector>

#include "base/text.h"
#include "coll/library_algorithms.h"
#include "coll/library_methods.h"
#include "protocol/report_line.h"
#include "rank/witness.h"

namespace colltree::rank {

namespace {

void add(const std::map<int, std::string>& values, std::string_view prefix,
         std::map<std::string, int>& ids) {
  for (const auto& [number, name] : values) ids.emplace(concat(prefix, name), number);
}

// Adds coll/han's algorithms in the table; the others hand the call to the component below.
void add_han(const ControlVariables& variables, Collective collective,
             std::map<std::string, int>& ids) {
  const auto names = variables.value_names(protocol::han_variable(collective), {});
  if (names.empty()) return;
  for (const LibraryAlgorithm& algorithm : openmpi_algorithms()) {
    if (algorithm.collective != collective || !is_of_han(algorithm)) continue;
    if (algorithm.id == kFirstOfHan) ids.emplace(algorithm.algorithm, algorithm.id);
    for (const auto& [number, name] : names) {
      if (algorithm.algorithm == "han_" + name)
        ids.emplace(algorithm.algorithm, kFirstOfHan + number);
    }
  }
}

// True for several nodes with several ranks on one of them, which MPICH's "smp" algorithms need:
// forced elsewhere, 4.0.2 refuses and 4.2.1 hangs. Collective.
bool has_hierarchy(MPI_Comm comm) {
  const protocol::JobLayout layout = layout_of_job(comm, {});
  return layout.nodes > 1 && layout.ranks_per_node > 1;
}

// Why the algorithm is not itself here, for what the table knows; "" = it is. Collective.
std::string unmet_need(std::uint32_t needs, const protocol::PlanCell& cell, const CellShape& shape,
                       MPI_Comm comm) {
  // MPICH 4.0.2's scan smp: forced on a single node it crashes, not always at once.
  if ((needs & kConsecutiveNodes) != 0) return "not safe to force";
  std::uint32_t unmet = protocol::unmet_needs(needs, cell, static_cast<std::uint64_t>(shape.count));
  if ((unmet & kHierarchy) != 0 && has_hierarchy(comm)) unmet &= ~std::uint32_t{kHierarchy};
  return unmet == 0 ? "" : "needs " + words_of(need_words(), unmet);
}

// The cell's algorithm in its control variable, by the number that the library tells. Open MPI's do
// not change with the version. None: the library has no such algorithm.
std::optional<int> number_of(const ControlVariables& variables, Library library,
                             const protocol::PlanCell& cell) {
  const std::map<std::string, int> ids =
      told_algorithms(variables, library, cell.instance.collective);
  const auto found = ids.find(told_name(library, cell.instance.collective, cell.method.algorithm));
  if (found != ids.end()) return found->second;
  if (!ids.empty() || library != Library::kOpenmpi) return std::nullopt;
  return find_algorithm(library, cell.instance.collective, cell.method.algorithm)->id;
}

// MPICH: "none" lets no device collective take the call over; "error" refuses an algorithm that
// does not apply here, where the default silently runs another one. Empty: it does not tell these.
protocol::Settings forcing_settings(const ControlVariables& variables) {
  protocol::Settings settings;
  for (const auto& [variable, word] : {std::pair{"MPIR_CVAR_DEVICE_COLLECTIVES", "none"},
                                       std::pair{"MPIR_CVAR_COLLECTIVE_FALLBACK", "error"}}) {
    const std::optional<int> number = variables.value_number(variable, word);
    if (!number) return {};
    settings.emplace_back(variable, *number);
  }
  return settings;
}

}  // namespace

std::map<std::string, int> told_algorithms(const ControlVariables& variables, Library library,
                                           Collective collective) {
  std::vector<std::string_view> names;
  for (const LibraryAlgorithm& algorithm : algorithms_of(library)) {
    if (algorithm.collective == collective) names.push_back(algorithm.algorithm);
  }
  std::map<std::string, int> ids;
  if (names.empty()) return ids;
  add(variables.value_names(protocol::algorithm_variable(library, collective), names), "", ids);
  if (library == Library::kOpenmpi) add_han(variables, collective, ids);
  if (library != Library::kMpich) return ids;
  names.clear();
  for (const NonblockingAlgorithm& algorithm : mpich_nonblocking()) {
    if (algorithm.algorithm.collective == collective) names.push_back(variable_name(algorithm));
  }
  add(variables.value_names(protocol::nonblocking_variable(collective), names), "nb_", ids);
  return ids;
}

std::string MethodSwitch::select(const protocol::Settings& settings, MPI_Comm comm) {
  release();
  settings_ = settings;
  comm_ = comm;
  if (settings_.empty()) return "";
  std::string trouble = begin();
  if (trouble.empty() && reach_ == Reach::kNewCommunicator) {
    own_comm_ = MPI_Comm_dup(comm, &comm_) == MPI_SUCCESS;
    if (!own_comm_) trouble = "no communicator could be made";
    if (own_comm_) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  end();
  return trouble;
}

void MethodSwitch::release() {
  if (own_comm_) MPI_Comm_free(&comm_);
  own_comm_ = false;
  settings_.clear();
}

std::string MethodSwitch::begin() {
  for (const auto& [variable, value] : settings_) {
    const auto before = variables_.read(variable);
    if (!before) return concat("this library has no control variable ", variable);
    const std::string trouble = variables_.write(variable, value);
    if (!trouble.empty()) return trouble;
    // A write may succeed and change nothing.
    if (variables_.read(variable) != value) return concat(variable, " did not change");
    original_.emplace_back(variable, *before);
  }
  return "";
}

void MethodSwitch::end() {
  for (auto variable = original_.rbegin(); variable != original_.rend(); ++variable)
    variables_.write(variable->first, variable->second);
  original_.clear();
}

LibrarySelector::LibrarySelector(Library library)
    : library_(library),
      switch_(library == Library::kOpenmpi ? MethodSwitch::Reach::kNewCommunicator
                                           : MethodSwitch::Reach::kNextCall) {}

std::string LibrarySelector::select(const protocol::PlanCell& cell, const CellShape& shape,
                                    MPI_Comm comm) {
  selected_ = nullptr;
  if (cell.method.algorithm == kDefaultAlgorithm) return switch_.select({}, comm);
  if (const std::string_view name = told_unknown(cell.method.algorithm); !name.empty())
    return select_unknown(cell, name, comm);
  const NonblockingAlgorithm* nonblocking =
      library_ == Library::kMpich
          ? find_nonblocking(cell.instance.collective, cell.method.algorithm)
          : nullptr;
  const LibraryAlgorithm* algorithm =
      nonblocking != nullptr
          ? &nonblocking->algorithm
          : find_algorithm(library_, cell.instance.collective, cell.method.algorithm);
  if (algorithm == nullptr) return "no such algorithm in the table of this library";
  std::string unmet = nonblocking != nullptr ? protocol::unfit_radix(*nonblocking, cell.method)
                                             : protocol::unfit_radix(*algorithm, cell.method);
  if (unmet.empty()) unmet = unmet_need(algorithm->needs, cell, shape, comm);
  if (!unmet.empty()) return unmet;
  const std::optional<int> number = number_of(switch_.variables(), library_, cell);
  if (!number) return "the installed version has no such algorithm";
  if (library_ == Library::kMpich) return select_mpich(cell, nonblocking, *number, comm);
  const bool han = call_entry(comm, cell.instance.collective).component == "han";
  if (is_of_han(*algorithm) && !han) return "coll/han does not carry out this call";
  selected_ = algorithm;
  protocol::Settings settings = protocol::openmpi_settings(*algorithm, *number, cell);
  if (han && !is_of_han(*algorithm)) {
    const protocol::Settings below = protocol::settings_below_han(cell.instance.collective);
    settings.insert(settings.end(), below.begin(), below.end());
  }
  return switch_.select(settings, comm);
}

// Selects by the library's own name and number alone: no witness knows the function.
std::string LibrarySelector::select_unknown(const protocol::PlanCell& cell, std::string_view name,
                                            MPI_Comm comm) {
  const auto algorithms = told_algorithms(switch_.variables(), library_, cell.instance.collective);
  const auto found = algorithms.find(std::string(name));
  if (found == algorithms.end()) return "the installed version has no such algorithm";
  protocol::Settings settings;
  if (library_ == Library::kMpich) settings = forcing_settings(switch_.variables());
  settings.emplace_back(protocol::algorithm_variable(library_, cell.instance.collective),
                        found->second);
  return switch_.select(settings, comm);
}

std::string LibrarySelector::select_mpich(const protocol::PlanCell& cell,
                                          const NonblockingAlgorithm* nonblocking, int number,
                                          MPI_Comm comm) {
  protocol::Settings settings = forcing_settings(switch_.variables());
  if (settings.empty()) return "this library does not tell how an algorithm is forced";
  const auto add = [&](const protocol::Settings& more) {
    settings.insert(settings.end(), more.begin(), more.end());
  };
  if (nonblocking == nullptr) {
    add(protocol::mpich_settings(number, cell));
  } else {
    protocol::PlanCell blocking = cell;
    blocking.method = {"nb", std::nullopt};
    const int nb_number = number_of(switch_.variables(), library_, blocking).value_or(0);
    add(protocol::mpich_settings(*nonblocking, number, nb_number, cell));
  }
  return switch_.select(settings, comm);
}

void LibrarySelector::begin() {
  reset_witness();
  trouble_ = switch_.begin();
}

std::string LibrarySelector::other_than_selected() const {
  if (!trouble_.empty()) return trouble_;
  if (selected_ == nullptr || !has_witness()) return "";
  const std::vector<int> ids = witnessed_ids(selected_->collective);
  if (ids == std::vector<int>{selected_->id}) return "";
  const bool by_han = !ids.empty() && ids.back() >= kFirstOfHan;
  // coll/han runs others of the collective on its own communicators.
  if (is_of_han(*selected_) &&
      (selected_->id == kFirstOfHan ? !ids.empty() && !by_han : ids.back() == selected_->id))
    return "";
  if (is_of_han(*selected_) && !by_han) return "coll/han hands this call on";
  for (const int id : ids) {
    const LibraryAlgorithm* entered = find_algorithm(library_, selected_->collective, id);
    if (id != selected_->id && entered != nullptr)
      return concat("the library runs ", entered->algorithm, " here");
  }
  return "the library does not run its coll/tuned algorithm here";
}

std::string StartedSelector::select(const protocol::PlanCell& cell, const CellShape& shape,
                                    MPI_Comm comm) {
  comm_ = comm;
  if (is_library_default(cell.method)) return "";
  const std::string setting = start_setting(library_, cell.instance.collective, cell.method);
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return "no such algorithm in the table of this library";
  const LibraryAlgorithm* algorithm =
      find_algorithm(library_, cell.instance.collective, cell.method.algorithm);
  const std::string unmet =
      algorithm == nullptr ? "" : unmet_need(algorithm->needs, cell, shape, comm);
  if (!unmet.empty()) return unmet;
  const char* value = std::getenv(setting.substr(0, equals).c_str());
  return value != nullptr && setting.substr(equals + 1) == value
             ? ""
             : concat("the job was not started with ", setting);
}

std::string RulesSelector::select(const protocol::PlanCell& cell, const CellShape&, MPI_Comm comm) {
  release();
  // Both get a new communicator, so that they differ in nothing but the decision.
  const bool rules = cell.method.algorithm != protocol::kBuiltinAlgorithm;
  ControlVariables::write_flag("coll_tuned_use_dynamic_rules", rules);
  const int code = MPI_Comm_dup(comm, &comm_);
  ControlVariables::write_flag("coll_tuned_use_dynamic_rules", true);
  if (code != MPI_SUCCESS) return "no communicator could be made";
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return "";
}

void RulesSelector::release() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

}  // namespace colltree::rank
