// SPDX-License-Identifier: BSD-3-Clause
// Chooses the method that runs at an instance: the one that COLLTREE_FORCE names, else the model's.
// Equal settings give equal choices with equal numbers on every rank.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "algorithms/algorithms.h"
#include "base/not_copied.h"
#include "colltree/decision.h"
#include "decision/cdt_format.h"

namespace colltree::runtime {

struct Settings;

// Why a call ran as it did; the names are in record.cpp and docs/reference/formats/record.md.
enum class Why : std::uint16_t {
  kModel,          // the model's method, ours
  kForced,         // COLLTREE_FORCE
  kFallback,       // as one of these two, but its row's minima or needs are not met by this call
  kModelDefault,   // the model says: leave it to the library
  kForcedDefault,  // COLLTREE_FORCE says so
  kNotOurs,        // the model names a method that this library does not have
  kNoModel,        // no model, or not for this collective
  kOneRank,
  kNoData,        // nothing to send
  kNoSize,        // alltoallv: no size that all ranks know, and the model asks for one
  kNotPossible,   // no private communicator could be made
  kDisagreement,  // COLLTREE_CHECK found that ranks differ
  kDeviceMemory,  // a rank may have buffers on a device, which only the library works on
  // Reasons for calls that are passed on without a choice:
  kArguments,          // MPI must judge them
  kIntercommunicator,  // no timings describe these
  kOtherRanks,         // some are of another MPI_COMM_WORLD
  kNoMethods,          // of this operation
  kNeighbourhood,
  kLargeCount,
  kNonblocking,
  kPersistent,
};
inline constexpr std::size_t kReasons = 21;

inline constexpr std::uint16_t kLibrary = 0xFFFF;  // the number of "the library's own choice"

struct Choice {
  const algorithms::PortableMethod* method = nullptr;  // null: the library's own choice
  std::uint16_t number = kLibrary;                     // for name_of
  Why why = Why::kNoModel;
};

class Chooser : NotCopied {
 public:
  using Say = void(const char* format, ...);

  ~Chooser();

  // `settings` must outlive it. Errors are reported by `say` (null: silently), naming the model
  // by `path`; false: then nothing can be chosen at all.
  bool open(const Settings& settings, const char* path, Say* say) noexcept;

  // False: the library decides, whatever the instance.
  bool may_choose(Collective collective) const noexcept;
  Choice choose(Collective collective, const colltree_instance& instance) const noexcept;
  // Chooses for an unknown message size: a method that is the same for every size, or kNoSize.
  Choice choose_for_every_size(Collective collective, colltree_instance instance) const noexcept;

  const colltree_decision* model() const { return decision_; }  // null: none

  // The method of a choice's number: {"binomial", 8192, 1}; {"default", 0, 0} for kLibrary.
  colltree_chosen_method name_of(std::uint16_t number) const noexcept;

 private:
  struct Deployable {
    algorithms::PortableMethod method;
    Why why = Why::kNotOurs;
  };
  struct Forced {
    bool is_set = false;
    char algorithm[64] = "";
    std::uint64_t segment_size = 0;
    Deployable deployable;
  };

  bool open_model(const Settings& settings, const char* path, Say* say);
  void resolve(std::size_t collective, const char* path, Say* say);
  bool force(std::string_view text, Say* say);
  bool force_one(std::string_view item, Say* say);

  colltree_decision* decision_ = nullptr;
  std::size_t method_count_ = 0;
  // The model's methods for each collective, bound to our code.
  std::array<std::unique_ptr<Deployable[]>, cdt::kCollectives> methods_;
  std::array<Forced, cdt::kCollectives> forced_;
};

}  // namespace colltree::runtime
