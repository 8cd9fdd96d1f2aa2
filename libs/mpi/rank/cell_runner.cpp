// SPDX-License-Identifier: BSD-3-Clause
#include "rank/cell_runner.h"

#include <algorithm>
#include <new>

#include "base/text.h"
#include "coll/catalogue.h"

namespace colltree::rank {

namespace {

constexpr std::size_t kMostSlots = 16;

// Why the library refuses a method, by its error code.
std::string refusal(int code) {
  if (code == MPI_SUCCESS) return "the library refuses it on another rank";
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  // MPICH's text is a stack, cut to the length of an MPI error string.
  const std::string_view lines(text, static_cast<std::size_t>(length));
  if (lines.find("is not usable") != std::string_view::npos)
    return "the library says: not usable for the provided arguments";
  return concat("the library refuses it here: ", lines.substr(lines.rfind('\n') + 1));
}

}  // namespace

CellCall::CellCall(const protocol::PlanCell& cell, const CellShape& shape, MPI_Comm comm,
                   const Group& group, const RankEnvironment& environment, Payload payload)
    : cell_(cell),
      comm_(comm),
      shape_(shape),
      call_(algorithms::make_call(shape_.layout, nullptr, nullptr,
                                  shape_.sum ? environment.sum : environment.exclusive_or)),
      library_((environment.selector != nullptr && !cell.portable) ||
               cell.method.algorithm == kDefaultAlgorithm) {
  if (library_ || !algorithms::find_method(cell.instance.collective, cell.method, &method_))
    method_.algorithm = nullptr;
  if (payload == Payload::kShared && !needs_content()) carry_content_ = environment.carry_content;
  if (library_) return;
  context_.comm = comm;
  context_.nodes = &group.layout;
  context_.shared = &group.shared;
  context_.charge_copy = environment.charge_copy;
  context_.without_content = carry_content_ != nullptr;
}

// A reduction combines what arrives, and is charged for it. Ranks that pass on others' blocks of
// different lengths receive these lengths as messages. SMPI's own allgatherv frees memory that it
// did not allocate when nothing is carried.
bool CellCall::needs_content() const {
  if (adds_up(cell_.instance.collective)) return true;
  if (library_) return cell_.instance.collective == Collective::kAllgatherv;
  return cell_.instance.collective == Collective::kAlltoallv && method_.algorithm != nullptr &&
         (method_.algorithm->info->needs & kHierarchy) != 0;
}

bool CellCall::has_memory() const {
  if (library_ || !shares_memory(cell_.instance.collective, cell_.method)) return true;
  const algorithms::CallFacts facts{shape_.layout.rank, shape_.layout.size,
                                    static_cast<std::size_t>(cell_.instance.message_size)};
  return &algorithms::effective_algorithm(method_, facts, context_) == method_.algorithm;
}

int CellCall::run(const CellBuffers& buffers, std::size_t slot) const {
  if (carry_content_ == nullptr) return call(buffers, slot);
  carry_content_(false);
  const int code = call(buffers, slot);
  carry_content_(true);
  return code;
}

int CellCall::call(const CellBuffers& buffers, std::size_t slot) const {
  algorithms::CollectiveCall call = call_;
  if (call.collective != Collective::kBcast) call.send = buffers.send(slot);
  call.receive = buffers.receive(slot);
  return library_ ? algorithms::call_as_program(call, comm_)
                  : colltree::algorithms::run(method_, call, context_);
}

CellRunner::CellRunner(const Group& group, const protocol::PlanCell& cell,
                       const protocol::StopRule& stop, const RankEnvironment& environment)
    : group_(group),
      cell_(cell),
      stop_(stop),
      environment_(environment),
      selector_(cell.portable ? nullptr : environment.selector),
      shape_(cell_shape(cell.instance, group.rank)),
      payload_(environment.most_payload_bytes != 0 &&
                       payload_bytes(cell.instance) > environment.most_payload_bytes
                   ? Payload::kShared
                   : Payload::kOwn),
      comm_(group.comm),
      sampling_(stop, [] { return MPI_Wtime(); }) {}

CellRunner::~CellRunner() {
  if (selector_ != nullptr) selector_->release();
}

protocol::JobReport CellRunner::run() {
  const std::string trouble = prepare();
  if (!trouble.empty()) return protocol::failed_cell(cell_, trouble);
  const std::string unfit = select();
  if (!unfit.empty()) return protocol::failed_cell(cell_, unfit, true);
  warm_up();
  take_samples();
  const std::string wrong = check();
  if (!wrong.empty()) return protocol::failed_cell(cell_, wrong);
  if (sampling_.samples_us().empty())
    return protocol::failed_cell(cell_,
                                 "no repetition met the common start; the machine is overloaded");
  return protocol::CellResult{cell_,
                              static_cast<std::uint64_t>(shape_.count),
                              shape_.type_size,
                              {static_cast<std::uint64_t>(group_.layout.nodes()),
                               static_cast<std::uint64_t>(group_.layout.most_ranks())},
                              sampling_.samples_us(),
                              sampling_.discarded(),
                              0};
}

std::string CellRunner::prepare() {
  const std::size_t bytes = std::max<std::size_t>(1, cell_.instance.message_size);
  const std::size_t slots =
      std::clamp<std::size_t>(environment_.buffer_pool_bytes / bytes, 1, kMostSlots);
  try {
    buffers_.emplace(shape_, slots, payload_);
  } catch (const std::bad_alloc&) {
  }
  if (!environment_.conductor->everywhere(buffers_.has_value()))
    return "not enough memory for the buffers";
  if (selector_ != nullptr) {
    unfit_ = selector_->select(cell_, shape_, group_.comm);
    if (unfit_.empty()) comm_ = selector_->comm();
  }
  call_.emplace(cell_, shape_, comm_, group_, environment_, payload_);
  if (!call_->known()) return "no such method in this program";
  return call_->has_memory() ? "" : "its ranks cannot share memory, or not read each other's";
}

Timed CellRunner::timed(std::function<void(std::size_t)> call) const {
  if (selector_ == nullptr) return {std::move(call)};
  return {std::move(call), [this] { selector_->begin(); }, [this] { selector_->end(); }};
}

void CellRunner::one_call(std::size_t slot) {
  error_ = std::max(error_, call_->run(*buffers_, slot));
}

// One call of a library's own algorithm before it is timed: why it does not apply here, as the
// library says by an error or shows by running another one. "" = it applies.
std::string CellRunner::select() {
  if (selector_ == nullptr) return "";
  if (!environment_.conductor->everywhere(unfit_.empty()))
    return unfit_.empty() ? "cannot be selected on another rank" : unfit_;
  selector_->begin();
  const int code = call_->run(*buffers_, 0);
  selector_->end();
  const std::string difference = selector_->other_than_selected();  // before our own collectives
  if (!environment_.conductor->everywhere(code == MPI_SUCCESS)) return refusal(code);
  if (!environment_.conductor->everywhere(difference.empty()))
    return difference.empty() ? "the library runs another algorithm on another rank" : difference;
  buffers_->fill(0);
  return "";
}

// A library sets itself up in its first call on a communicator: never time that one. The later
// ones teach the conductor how long a call lasts. One that takes all of the cell's time is the
// last.
void CellRunner::warm_up() {
  const std::uint32_t calls = std::max(stop_.warm_up, call_->library() ? 1U : 0U);
  const bool limited = stop_.cell_budget_s > 0;  // else the clock is not read: repetitions.h
  for (std::uint32_t i = 0; i < calls; ++i) {
    const double began_s = limited ? MPI_Wtime() : 0;
    environment_.conductor->run(1, timed([this, i](std::size_t) { one_call(i); }));
    if (!limited) continue;
    const double took_s = MPI_Wtime() - began_s;
    sampling_.expect(took_s);
    if (i + 1 < calls && !environment_.conductor->everywhere(took_s < stop_.cell_budget_s)) break;
  }
  if (calls > 0) buffers_->fill(0);
}

void CellRunner::take_samples() {
  while (next_batch() > 0) {
    const auto call = [this](std::size_t i) { one_call(done_ + i); };
    sampling_.add(environment_.conductor->run(batch_, timed(call)));
    done_ += batch_;
  }
}

// Size of the next batch, agreed on by all ranks; 0 when the stop rule is met.
std::size_t CellRunner::next_batch() {
  long next = group_.rank == 0 ? static_cast<long>(sampling_.next_batch()) : 0;
  if (stop_.max_samples > 1) {
    MPI_Bcast(&next, 1, MPI_LONG, 0, group_.comm);
  } else {
    next = done_ == 0 ? 1 : 0;
  }
  batch_ = static_cast<std::size_t>(next);
  return batch_;
}

// The result of the last call, checked on every rank; with real clocks a fresh call is checked so
// that filling the buffers stays out of the timed loop.
std::string CellRunner::check() {
  const std::size_t slot = done_ == 0 ? 0 : done_ - 1;
  if (stop_.max_samples > 1) {
    buffers_->fill(slot);
    if (selector_ != nullptr) selector_->begin();
    one_call(slot);
    if (selector_ != nullptr) selector_->end();
  }
  if (!environment_.conductor->everywhere(error_ == MPI_SUCCESS))
    return "the method returned an MPI error";
  return environment_.conductor->everywhere(buffers_->correct(slot)) ? "" : "the result is wrong";
}

}  // namespace colltree::rank
