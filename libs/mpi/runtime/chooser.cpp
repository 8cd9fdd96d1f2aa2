// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/chooser.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/settings.h"

namespace colltree::runtime {

namespace {

constexpr std::string_view kDefault = "default";

template <typename... Arguments>
void tell(Chooser::Say* say, const char* format, Arguments... arguments) {
  if (say != nullptr) say(format, arguments...);
}

// "8K" -> 8192; false: not a size.
bool read_size(std::string_view text, std::uint64_t* size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::uint64_t unit = 1;
  if (text.ends_with('K')) unit = std::uint64_t{1} << 10;
  if (text.ends_with('M')) unit = std::uint64_t{1} << 20;
  if (unit != 1) text.remove_suffix(1);
  *size = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || *size > kMost) return false;
    *size = *size * 10 + static_cast<std::uint64_t>(c - '0');
  }
  *size *= unit;
  return !text.empty();
}

}  // namespace

Chooser::~Chooser() { colltree_decision_free(decision_); }

bool Chooser::open(const Settings& settings, const char* path, Say* say) noexcept {
  if (settings.model != nullptr && !open_model(settings, path, say)) return false;
  return settings.force == nullptr || force(settings.force.get(), say);
}

bool Chooser::open_model(const Settings& settings, const char* path, Say* say) {
  char error[256];
  decision_ = colltree_decision_use(settings.model.get(), settings.model_size, error, sizeof error);
  if (decision_ == nullptr) {
    const char* what = std::strstr(error, ": ");
    tell(say, "%.4000s: %s; running without a model", path, what == nullptr ? error : what + 2);
    return false;
  }
  const colltree_origin origin = colltree_decision_origin(decision_);
  if (colltree_decision_is_portable(decision_) == 0) {
    tell(say,
         "%.4000s: its methods are algorithms of %.100s, which this library does not have; emit "
         "rules for %.100s, or measure the portable algorithms; running without a model",
         path, origin.algorithms, origin.algorithms);
    return false;
  }
  method_count_ = colltree_decision_methods(decision_);
  bool any = false;
  for (std::size_t i = 0; i < cdt::kCollectives; ++i) {
    const colltree_instance somewhere = {2, 1, 0, 0};
    if (colltree_decide(decision_, static_cast<int>(i), &somewhere) < 0) continue;
    methods_[i].reset(new (std::nothrow) Deployable[method_count_]);
    if (methods_[i] == nullptr) return false;
    resolve(i, path, say);
    any = true;
  }
  if (!any) tell(say, "%s: decides for no collective that this library knows", path);
  return any;
}

void Chooser::resolve(std::size_t collective, const char* path, Say* say) {
  std::size_t ours = 0;
  const char* foreign = nullptr;
  for (std::size_t i = 0; i < method_count_; ++i) {
    Deployable& deployable = methods_[collective][i];
    const colltree_chosen_method named = colltree_decision_method(decision_, static_cast<int>(i));
    if (named.algorithm == kDefault) {
      deployable.why = Why::kModelDefault;
      ++ours;
    } else if (algorithms::find_method(static_cast<Collective>(collective), named.algorithm,
                                       named.segment_size, &deployable.method)) {
      deployable.why = Why::kModel;
      ++ours;
    } else {
      foreign = named.algorithm;
    }
  }
  // The methods of a model are those of all its collectives, so some may be another one's.
  if (ours == 0 && foreign != nullptr) {
    tell(say, "%s: none of its methods for %s is one of ours (%s): the library decides there", path,
         name(static_cast<Collective>(collective)).data(), foreign);
  }
}

bool Chooser::force(std::string_view text, Say* say) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    if (!force_one(item, say)) return false;
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return true;
}

// bcast=binomial/8K
bool Chooser::force_one(std::string_view item, Say* say) {
  const std::size_t equals = std::min(item.find('='), item.size());
  const auto collective = find_collective(item.substr(0, equals));
  const std::string_view method = item.substr(std::min(equals + 1, item.size()));
  const std::size_t slash = method.find('/');
  const std::string_view algorithm = method.substr(0, slash);
  Forced wanted;
  wanted.is_set = true;
  bool known = collective.has_value() && algorithm.size() < sizeof wanted.algorithm &&
               (slash == std::string_view::npos ||
                read_size(method.substr(slash + 1), &wanted.segment_size));
  if (known) {
    algorithm.copy(wanted.algorithm, algorithm.size());
    wanted.deployable.why = algorithm == kDefault ? Why::kForcedDefault : Why::kForced;
    known = algorithm == kDefault ||
            algorithms::find_method(*collective, algorithm, wanted.segment_size,
                                    &wanted.deployable.method);
  }
  if (!known) {
    tell(say,
         "COLLTREE_FORCE: '%.*s' is not COLLECTIVE=METHOD, as bcast=binomial/8K; running without "
         "methods of ours",
         static_cast<int>(item.size()), item.data());
    return false;
  }
  forced_[static_cast<std::size_t>(*collective)] = wanted;
  return true;
}

bool Chooser::may_choose(Collective collective) const noexcept {
  const auto index = static_cast<std::size_t>(collective);
  const Forced& forced = forced_[index];
  return forced.is_set ? forced.deployable.method.algorithm != nullptr : methods_[index] != nullptr;
}

Choice Chooser::choose(Collective collective, const colltree_instance& instance) const noexcept {
  const auto index = static_cast<std::size_t>(collective);
  const Deployable* found = nullptr;
  std::uint16_t number = kLibrary;
  if (forced_[index].is_set) {
    found = &forced_[index].deployable;
    number = static_cast<std::uint16_t>(method_count_ + index);
  } else if (methods_[index] != nullptr) {
    const int chosen = colltree_decide(decision_, static_cast<int>(index), &instance);
    if (chosen < 0) return {};
    found = &methods_[index][chosen];
    number = static_cast<std::uint16_t>(chosen);
  } else {
    return {};
  }
  if (found->method.algorithm == nullptr) return {nullptr, kLibrary, found->why};
  return {&found->method, number, found->why};
}

Choice Chooser::choose_for_every_size(Collective collective,
                                      colltree_instance instance) const noexcept {
  instance.message_size = 0;
  const Choice first = choose(collective, instance);
  for (int bits = 0; bits < 40; ++bits) {
    // A model may change anywhere between, but hardly back to what it was at every power of two.
    instance.message_size = std::uint64_t{1} << bits;
    if (choose(collective, instance).method != first.method)
      return {nullptr, kLibrary, Why::kNoSize};
  }
  return first;
}

colltree_chosen_method Chooser::name_of(std::uint16_t number) const noexcept {
  if (number < method_count_) return colltree_decision_method(decision_, number);
  if (number == kLibrary || number - method_count_ >= forced_.size())
    return {kDefault.data(), 0, 0};
  const Forced& forced = forced_[number - method_count_];
  return {forced.algorithm, forced.segment_size, 1};
}

}  // namespace colltree::runtime
