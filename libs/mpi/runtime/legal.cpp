// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/legal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "algorithms/collective_call.h"
#include "algorithms/types.h"
#include "decision/cdt_format.h"

namespace colltree::runtime {

namespace {

// One buffer for both sides of a call. The standard forbids it; MPICH refuses it where it sees it,
// Open MPI carries most of it out. What the library refuses must come to it, what it accepts must
// not: other ranks cannot know of it.
// Each collective of one element, and of several. Open MPI accepts one of an allreduce, no more.
std::array<std::pair<bool, bool>, cdt::kCollectives> refused{};
algorithms::CollectiveCall aliased_call(Collective collective, int* buffer, const int* count) {
  static constexpr int kZero = 0;
  algorithms::CollectiveCall call;
  call.collective = collective;
  call.send = call.receive = buffer;
  call.send_count = call.receive_count = *count;
  call.send_type = call.receive_type = MPI_INT;
  call.send_counts = call.receive_counts = count;
  call.send_displacements = call.receive_displacements = &kZero;
  call.op = MPI_SUM;
  return call;
}

const void* behind(const void* buffer, int elements, MPI_Datatype type) {
  std::size_t bytes = 0;
  if (algorithms::message_bytes(1, type, &bytes) != MPI_SUCCESS) return nullptr;
  return algorithms::at(buffer, static_cast<MPI_Aint>(elements) * static_cast<MPI_Aint>(bytes));
}

bool is_same_block(const algorithms::CollectiveCall& c) {
  return c.send_type == c.receive_type && c.send_count == c.receive_count && c.send_count != 0;
}

// MPICH's test: the rank's block lies in the buffer of all blocks, whose places it reckons in sizes
// of the type.
bool is_alias(const algorithms::CollectiveCall& c, int rank) {
  switch (c.collective) {
    case Collective::kAllgather:
    case Collective::kGather:
      return is_same_block(c) &&
             c.send == behind(c.receive, rank * c.receive_count, c.receive_type);
    case Collective::kScatter:
      return is_same_block(c) && c.receive == behind(c.send, rank * c.send_count, c.send_type);
    case Collective::kAllgatherv:
      return c.send_type == c.receive_type && c.send_count != 0 && c.receive_counts[rank] != 0 &&
             c.send == behind(c.receive, c.receive_displacements[rank], c.receive_type);
    case Collective::kAlltoall:
      return is_same_block(c) && c.send == c.receive;
    case Collective::kAlltoallv:
      return c.send_type == c.receive_type && c.send_counts == c.receive_counts &&
             c.send == c.receive;
    default:
      return c.send == c.receive;
  }
}

namespace {

// An error handler sets this flag when the library refuses a call. MPI_ERRORS_RETURN would not do:
// Intel MPI 2021.19 ends a program of the standard's ABI in spite of it. Nor would the return code:
// MPICH 5.0.2 says MPI_SUCCESS after a handler.
thread_local bool was_refused = false;

void note_refusal(MPI_Comm*, int*, ...) { was_refused = true; }

template <typename Call>
bool refuses(const Call& call) {
  was_refused = false;
  return call() != MPI_SUCCESS || was_refused;
}

// `sends` and `receives`: what buffers mean something at this rank.
bool is_refused_alias(const algorithms::CollectiveCall& call, int rank, bool sends,
                      bool receives) noexcept {
  const auto& [single, more] = refused[static_cast<std::size_t>(call.collective)];
  const int count = call.receive_counts == nullptr ? call.receive_count : call.receive_counts[rank];
  return (count == 1 ? single : more) && sends && receives && call.send != MPI_BOTTOM &&
         is_alias(call, rank);
}

}  // namespace

// The arguments that mean something.
enum Part : unsigned {
  kSendBuffer = 1,
  kSendType = 2,  // with its count
  kSendCounts = 4,
  kReceiveBuffer = 8,
  kReceiveType = 16,
  kReceiveCounts = 32,
  kOperation = 64,
  kSend = kSendBuffer | kSendType | kSendCounts,
  kReceive = kReceiveBuffer | kReceiveType | kReceiveCounts,
};

enum class InPlace : std::uint8_t { kNever, kForSend, kForSendAtRoot, kForReceiveAtRoot };

struct Row {
  unsigned parts;      // at the root, and at every rank of a collective without one
  unsigned elsewhere;  // at the other ranks; kNoRoot
  InPlace in_place;
};

constexpr unsigned kNoRoot = ~0U;
constexpr unsigned kMove = kSendBuffer | kSendType | kReceiveBuffer | kReceiveType;
constexpr unsigned kReduce = kSendBuffer | kReceiveBuffer | kReceiveType | kOperation;

// The rows of the shapes of collectives.def.
constexpr unsigned kReceived = kReceiveBuffer | kReceiveType;
constexpr Row kNothing{0, kNoRoot, InPlace::kNever};
constexpr Row kFromRoot{kReceived, kReceived, InPlace::kNever};
constexpr Row kBlocks{kMove, kNoRoot, InPlace::kForSend};
constexpr Row kBlocksV{kMove | kReceiveCounts, kNoRoot, InPlace::kForSend};
constexpr Row kPairsV{kMove | kSendCounts | kReceiveCounts, kNoRoot, InPlace::kForSend};
constexpr Row kGather{kMove, kSendBuffer | kSendType, InPlace::kForSendAtRoot};
constexpr Row kScatter{kMove, kReceived, InPlace::kForReceiveAtRoot};
constexpr Row kReduction{kReduce, kNoRoot, InPlace::kForSend};
constexpr Row kReductionV{kReduce | kReceiveCounts, kNoRoot, InPlace::kForSend};
constexpr Row kPairs = kBlocks;
constexpr Row kParts = kReduction;
constexpr Row kPrefix = kReduction;
constexpr Row kPrefixBefore = kReduction;
constexpr Row kToRoot{kReduce, kReduce & ~kReceiveBuffer, InPlace::kForSendAtRoot};

constexpr Row kRows[] = {
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, unit, \
                            SHAPE)                                                             \
  k##SHAPE,
#define COLLTREE_MEASURED(...) kNothing,  // not deployed
#include "coll/collectives.def"
};
static_assert(std::size(kRows) == cdt::kCollectives);

// Once: tries what the library refuses on `alone`, a communicator of this rank.
void ask_about_aliases(MPI_Comm alone) noexcept {
  constexpr int kOne = 1;
  constexpr int kMore = 4;
  int buffer[kMore] = {};
  for (const CollectiveInfo& info : all_collectives()) {
    const Row& row = kRows[static_cast<std::size_t>(info.collective)];
    if (row.in_place == InPlace::kNever) continue;
    const auto is_refused = [&](const int& count) {
      return refuses([&] {
        return algorithms::call_library(aliased_call(info.collective, buffer, &count), alone);
      });
    };
    refused[static_cast<std::size_t>(info.collective)] = {is_refused(kOne), is_refused(kMore)};
  }
}

const Row& row_of(const algorithms::CollectiveCall& call) {
  return kRows[static_cast<std::size_t>(call.collective)];
}

// The arguments that mean something at this rank: none that MPI_IN_PLACE replaces.
unsigned parts_of(const algorithms::CollectiveCall& call, const Row& row, const Communicator& on) {
  const bool at_root = row.elsewhere == kNoRoot || on.rank == call.root;
  const unsigned parts = at_root ? row.parts : row.elsewhere;
  switch (row.in_place) {
    case InPlace::kNever:
      return parts;
    case InPlace::kForReceiveAtRoot:
      return at_root && call.receive == MPI_IN_PLACE ? parts & ~kReceive : parts;
    case InPlace::kForSendAtRoot:
      return at_root && call.send == MPI_IN_PLACE ? parts & ~kSend : parts;
    case InPlace::kForSend:
      return call.send == MPI_IN_PLACE ? parts & ~kSend : parts;
  }
  return parts;
}

bool are_counts(const int* counts, int size) {
  return counts != nullptr && std::all_of(counts, counts + size, [](int n) { return n >= 0; });
}

// A null pointer may be MPI_BOTTOM, which needs a type with addresses of its own.
bool is_buffer(const void* buffer, int count, MPI_Datatype type) {
  if (buffer == MPI_IN_PLACE) return false;
  return buffer != nullptr || count == 0 || !algorithms::is_predefined(type);
}

// Operations that MPI defines for some types only; a user's takes any.
constexpr int kBuiltIn = 12;
constexpr int kUsers = kBuiltIn + 1;
int number_of(MPI_Op op) {
  const MPI_Op built_in[kBuiltIn] = {MPI_SUM, MPI_MAX, MPI_MIN,  MPI_PROD, MPI_LAND,   MPI_BAND,
                                     MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
  for (int i = 0; i < kBuiltIn; ++i) {
    if (op == built_in[i]) return i;
  }
  return op == MPI_REPLACE || op == MPI_NO_OP ? kBuiltIn : kUsers;
}

MPI_Comm trial = MPI_COMM_NULL;  // of this rank alone

// Answers found: type << 5 | operation << 1 | answer. A handle keeps its answer: for types that can
// be freed it is no, whichever takes their place.
std::atomic<std::uint64_t> answers[256];

std::mutex asking;

bool ask(MPI_Datatype type, MPI_Op op) {
  const std::lock_guard<std::mutex> lock(asking);
  double in[8] = {};
  double out[8] = {};
  return !refuses([&] { return PMPI_Allreduce(in, out, 0, type, op, trial); });
}

bool is_operation_on(MPI_Datatype type, MPI_Op op) {
  const int number = number_of(op);
  if (number >= kBuiltIn) return number == kUsers;
  std::uintptr_t handle = 0;
  std::memcpy(&handle, &type, sizeof type);
  const auto operation = static_cast<std::uint64_t>(number);
  const std::uint64_t question = handle << 5 | operation << 1;
  auto& slot = answers[(handle ^ handle >> 7 ^ handle >> 13 ^ operation) % std::size(answers)];
  const std::uint64_t known = slot.load(std::memory_order_relaxed);
  if (known != 0 && (known & ~std::uint64_t{1}) == question) return (known & 1) != 0;
  const bool answer = ask(type, op);
  slot.store(question | (answer ? 1U : 0U), std::memory_order_relaxed);
  return answer;
}

}  // namespace

int begin_legality() noexcept {
  MPI_Group group = MPI_GROUP_NULL;
  COLLTREE_TRY(PMPI_Comm_group(MPI_COMM_SELF, &group));
  const int rc = PMPI_Comm_create(MPI_COMM_SELF, group, &trial);
  PMPI_Group_free(&group);
  COLLTREE_TRY(rc);
  MPI_Errhandler ours = MPI_ERRHANDLER_NULL;
  COLLTREE_TRY(PMPI_Comm_create_errhandler(note_refusal, &ours));
  COLLTREE_TRY(PMPI_Comm_set_errhandler(trial, ours));
  // Open MPI raises some of what it refuses there on MPI_COMM_WORLD, whatever the communicator.
  MPI_Errhandler users = MPI_ERRHANDLER_NULL;
  COLLTREE_TRY(PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &users));
  COLLTREE_TRY(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, ours));
  ask_about_aliases(trial);
  COLLTREE_TRY(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, users));
  PMPI_Errhandler_free(&ours);
  return PMPI_Errhandler_free(&users);
}

void end_legality() noexcept {
  if (trial != MPI_COMM_NULL) PMPI_Comm_free(&trial);
}

bool is_sizeable(const algorithms::CollectiveCall& call, const Communicator& on) noexcept {
  const Row& row = row_of(call);
  if (row.elsewhere != kNoRoot && (call.root < 0 || call.root >= on.size)) return false;
  const unsigned parts = parts_of(call, row, on);
  const auto is_wrong = [&](Part part, bool right) { return (parts & part) != 0 && !right; };
  return !(
      is_wrong(kSendType, call.send_type != MPI_DATATYPE_NULL && call.send_count >= 0) ||
      is_wrong(kReceiveType, call.receive_type != MPI_DATATYPE_NULL && call.receive_count >= 0) ||
      is_wrong(kOperation, call.op != MPI_OP_NULL) ||
      ((parts & kSendCounts) != 0 && !are_counts(call.send_counts, on.size)) ||
      ((parts & kReceiveCounts) != 0 && !are_counts(call.receive_counts, on.size)));
}

bool is_legal(const algorithms::CollectiveCall& call, const Communicator& on) noexcept {
  const unsigned parts = parts_of(call, row_of(call), on);
  const bool reduces = (parts & kOperation) != 0;
  const int sent = reduces ? call.receive_count : call.send_count;
  const MPI_Datatype send_type = reduces ? call.receive_type : call.send_type;
  if ((parts & kSendBuffer) != 0 && !is_buffer(call.send, sent, send_type)) return false;
  if ((parts & kReceiveBuffer) != 0 &&
      !is_buffer(call.receive, call.receive_count, call.receive_type))
    return false;
  if (is_refused_alias(call, on.rank, (parts & kSendBuffer) != 0, (parts & kReceiveBuffer) != 0))
    return false;
  return !reduces || is_operation_on(call.receive_type, call.op);
}

}  // namespace colltree::runtime
