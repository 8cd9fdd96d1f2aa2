// SPDX-License-Identifier: BSD-3-Clause
// Collectives that combine data, with operations of the library and of the program.
#include <algorithm>
#include <cstring>

#include "call.h"

namespace legal {

namespace {

constexpr int kMostElements = 1 << 15;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// An affine map x -> a x + b modulo 2^32. Composition is associative and not commutative.
struct Affine {
  std::uint32_t a, b;
};

// Where a and b stand in an item, and how far it is to the next: in front of the item's origin and
// behind it, with gaps.
struct Place {
  std::ptrdiff_t a, b, lower, extent;
};
constexpr Place kDense = {0, 4, 0, 8};
constexpr Place kGapped = {-8, 12, -12, 40};

template <const Place& place>
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  for (std::ptrdiff_t i = 0; i < *count; ++i) {
    const auto* left = static_cast<const std::uint8_t*>(in) + i * place.extent;
    auto* right = static_cast<std::uint8_t*>(inout) + i * place.extent;
    Affine l, r;
    std::memcpy(&l.a, left + place.a, 4);
    std::memcpy(&l.b, left + place.b, 4);
    std::memcpy(&r.a, right + place.a, 4);
    std::memcpy(&r.b, right + place.b, 4);
    const Affine both = {l.a * r.a, l.a * r.b + l.b};
    std::memcpy(right + place.a, &both.a, 4);
    std::memcpy(right + place.b, &both.b, 4);
  }
}

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) right[i] *= left[i];
}

Type pair_type(const Place& place) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {place.a, place.b};
  MPI_Datatype loose, type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_UINT32_T, &loose);
  MPI_Type_create_resized(loose, place.lower, place.extent, &type);
  MPI_Type_free(&loose);
  MPI_Type_commit(&type);
  return {type, true, {{place.a, 4}, {place.b, 4}}, place.extent};
}

Type number_type() { return {MPI_UINT32_T, false, {{0, 4}}, 4}; }

enum class Kind { kSum, kXor, kAnd, kProduct, kAffine, kGappedAffine };

Kind pick_kind(Call& call) {
  if (call.may(kGappedOperation) && !call.shared.one_in(3)) return Kind::kGappedAffine;
  if (call.may(kOwnOperation) && !call.shared.one_in(4)) {
    return call.shared.one_in(4) ? Kind::kProduct : Kind::kAffine;
  }
  return static_cast<Kind>(call.shared.below(3));
}

class Operation {
 public:
  explicit Operation(Kind kind) : kind_(kind), type_(type_of(kind)) {
    if (kind == Kind::kProduct) MPI_Op_create(multiply, 1, &op_);
    if (kind == Kind::kAffine) MPI_Op_create(compose<kDense>, 0, &op_);
    if (kind == Kind::kGappedAffine) MPI_Op_create(compose<kGapped>, 0, &op_);
    owned_ = op_ != MPI_OP_NULL;
    if (kind == Kind::kSum) op_ = MPI_SUM;
    if (kind == Kind::kXor) op_ = MPI_BXOR;
    if (kind == Kind::kAnd) op_ = MPI_BAND;
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() {
    if (owned_) MPI_Op_free(&op_);
  }

  const Type& type() const { return type_; }
  MPI_Datatype handle() const { return type_.handle(); }
  MPI_Op op() const { return op_; }

  // The elements of the ranks `first` to `last` combined in rank order.
  Bytes combined(std::uint64_t key, int first, int last, int elements) const {
    Bytes result = data_of(key, first, 0, index(elements) * type_.size());
    for (int rank = first + 1; rank <= last; ++rank) {
      const Bytes right = data_of(key, rank, 0, result.size());
      for (std::size_t at = 0; at < result.size(); at += type_.size()) {
        combine(result.data() + at, right.data() + at);
      }
    }
    return result;
  }

 private:
  static Type type_of(Kind kind) {
    if (kind == Kind::kAffine) return pair_type(kDense);
    return kind == Kind::kGappedAffine ? pair_type(kGapped) : number_type();
  }

  void combine(std::uint8_t* left, const std::uint8_t* right) const {
    Affine l{}, r{};
    std::memcpy(&l, left, type_.size());
    std::memcpy(&r, right, type_.size());
    switch (kind_) {
      case Kind::kSum:
        l.a += r.a;
        break;
      case Kind::kXor:
        l.a ^= r.a;
        break;
      case Kind::kAnd:
        l.a &= r.a;
        break;
      case Kind::kProduct:
        l.a *= r.a;
        break;
      case Kind::kAffine:
      case Kind::kGappedAffine:
        l = {l.a * r.a, l.a * r.b + l.b};
        break;
    }
    std::memcpy(left, &l, type_.size());
  }

  Kind kind_;
  Type type_;
  MPI_Op op_ = MPI_OP_NULL;
  bool owned_ = false;
};

// What the reductions have in common: an operation, and elements of which this rank's are in `in`.
// With MPI_IN_PLACE they are in `out`.
struct Reduction {
  Reduction(Call& call, int count_of_all, int count_of_result)
      : operation(pick_kind(call)),
        key(call.shared.next()),
        in_place(call.may(kInPlace) && !call.shared.one_in(4)),
        in(operation.type(), 0, count_of_all),
        out(operation.type(), 0,
            in_place ? std::max(count_of_all, count_of_result) : count_of_result) {
    own = operation.combined(key, call.rank, call.rank, count_of_all);
    in.put(0, own);
  }

  // Where the call takes this rank's elements from.
  const void* send(bool here) {
    if (!here) return in.origin();
    out.put(0, own);
    return MPI_IN_PLACE;
  }

  Operation operation;
  std::uint64_t key;
  bool in_place;
  Buffer in;
  Buffer out;
  Bytes own;
};

bool prefix(Call& call, bool exclusive) {
  const int count = random_count(call, kMostElements);
  Reduction one(call, count, count);
  const void* send = one.send(one.in_place);
  const int last = call.rank - (exclusive ? 1 : 0);
  if (last >= 0) one.out.expect(0, one.operation.combined(one.key, 0, last, count));
  (exclusive ? MPI_Exscan : MPI_Scan)(send, one.out.origin(), count, one.operation.handle(),
                                      one.operation.op(), call.comm);
  if (last < 0) one.out.forget();
  return one.in.right() && one.out.right();
}

bool reduce_scatter(Call& call, bool regular) {
  std::vector<int> counts(index(call.size), random_count(call, kMostElements / call.size));
  if (!regular) counts = random_counts(call, call.size, kMostElements / call.size);
  int all = 0;
  int before = 0;
  for (int i = 0; i < call.size; ++i) {
    if (i < call.rank) before += counts[index(i)];
    all += counts[index(i)];
  }
  const int count = counts[index(call.rank)];
  Reduction one(call, all, count);
  const void* send = one.send(one.in_place);
  const Bytes total = one.operation.combined(one.key, 0, call.size - 1, all);
  const auto item = static_cast<std::ptrdiff_t>(one.operation.type().size());
  const Bytes mine(total.begin() + before * item, total.begin() + (before + count) * item);
  one.out.expect(0, mine);
  if (regular) {
    MPI_Reduce_scatter_block(send, one.out.origin(), count, one.operation.handle(),
                             one.operation.op(), call.comm);
  } else {
    MPI_Reduce_scatter(send, one.out.origin(), counts.data(), one.operation.handle(),
                       one.operation.op(), call.comm);
  }
  // In place, what stands behind the result is not said by the standard.
  return one.in.right() && (one.in_place ? one.out.holds(0, mine) : one.out.right());
}

}  // namespace

bool run_reduce(Call& call) {
  const int count = random_count(call, kMostElements);
  const int root = call.shared.below(call.size);
  Reduction one(call, count, count);
  const bool is_root = call.rank == root;
  const void* send = one.send(one.in_place && is_root);
  void* receive = one.out.origin();
  if (is_root) {
    one.out.expect(0, one.operation.combined(one.key, 0, call.size - 1, count));
  } else if (call.may(kIgnored)) {
    receive = call.own.one_in(2) ? nullptr : receive;
  }
  MPI_Reduce(send, receive, count, one.operation.handle(), one.operation.op(), root, call.comm);
  return one.in.right() && one.out.right();
}

bool run_allreduce(Call& call) {
  const int count = random_count(call, kMostElements);
  Reduction one(call, count, count);
  const void* send = one.send(one.in_place);
  one.out.expect(0, one.operation.combined(one.key, 0, call.size - 1, count));
  MPI_Allreduce(send, one.out.origin(), count, one.operation.handle(), one.operation.op(),
                call.comm);
  return one.in.right() && one.out.right();
}

bool run_scan(Call& call) { return prefix(call, false); }
bool run_exscan(Call& call) { return prefix(call, true); }
bool run_reduce_scatter(Call& call) { return reduce_scatter(call, false); }
bool run_reduce_scatter_block(Call& call) { return reduce_scatter(call, true); }

}  // namespace legal
