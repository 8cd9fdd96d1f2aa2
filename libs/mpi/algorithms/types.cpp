// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/types.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/not_copied.h"

namespace colltree::algorithms {

namespace {

constexpr MPI_Aint kAlignment = 16;

// Only named types: a derived one without holes may still list its parts in another order than
// memory has them.
bool is_plain(const TypeLayout& layout, MPI_Aint lb) {
  return lb == 0 && layout.true_lb == 0 && layout.extent == static_cast<MPI_Aint>(layout.size) &&
         is_predefined(layout.type);
}

// Elements that one MPI_Pack can take: its sizes are int.
std::size_t pack_step(const TypeLayout& layout) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(INT_MAX) / layout.size);
}

void charge(std::size_t bytes, const Context& context) {
  if (context.charge_copy != nullptr && bytes != 0) context.charge_copy(bytes);
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

int ask_commutative(MPI_Op op, bool* commutative) {
  int commutes = 0;
  COLLTREE_TRY(PMPI_Op_commutative(op, &commutes));
  *commutative = commutes != 0;
  return MPI_SUCCESS;
}

int message_bytes(int count, MPI_Datatype type, std::size_t* bytes) {
  MPI_Count size = static_cast<MPI_Count>(common_size(type));
  if (size == 0) COLLTREE_TRY(PMPI_Type_size_x(type, &size));
  if (size < 0) return MPI_ERR_TYPE;
  *bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  return MPI_SUCCESS;
}

int ask_layout(MPI_Datatype type, TypeLayout* layout) {
  MPI_Aint lb = 0;
  layout->type = type;
  COLLTREE_TRY(message_bytes(1, type, &layout->size));
  COLLTREE_TRY(PMPI_Type_get_extent(type, &lb, &layout->extent));
  COLLTREE_TRY(PMPI_Type_get_true_extent(type, &layout->true_lb, &layout->true_extent));
  layout->plain = is_plain(*layout, lb);
  return MPI_SUCCESS;
}

int Scratch::allocate(std::size_t bytes) {
  memory_.reset(new (std::nothrow) std::byte[bytes]);
  data_ = memory_.get();
  return data_ == nullptr ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int Scratch::allocate(const TypeLayout& layout, std::size_t count) {
  if (count == 0) return allocate(std::size_t{0});
  const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * layout.extent;
  const MPI_Aint low = std::min<MPI_Aint>(0, last) + layout.true_lb;
  const MPI_Aint span = std::abs(last) + layout.true_extent;
  const MPI_Aint pad = (low % kAlignment + kAlignment) % kAlignment;
  COLLTREE_TRY(allocate(static_cast<std::size_t>(span + pad)));
  data_ += pad - low;
  return MPI_SUCCESS;
}

void copy_bytes(const std::byte* from, std::byte* to, std::size_t bytes, const Context& context) {
  if (!context.without_content) std::memcpy(to, from, bytes);
  charge(bytes, context);
}

namespace {

// MPI_BOTTOM, where the type has the addresses. MPICH's MPI_Pack takes a null pointer for a
// forgotten buffer: elsewhere it is a type whose addresses begin elsewhere.
class FromBottom : NotCopied {
 public:
  ~FromBottom() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }

  // The same elements of memory, from an address that is not null.
  template <typename Byte>
  int avoid(Byte** base, int* count, MPI_Datatype* type) {
    if (*base != nullptr) return MPI_SUCCESS;
    static std::byte elsewhere;
    MPI_Aint back = 0;
    COLLTREE_TRY(PMPI_Get_address(&elsewhere, &back));
    back = -back;
    COLLTREE_TRY(PMPI_Type_create_hindexed(1, count, &back, *type, &type_));
    COLLTREE_TRY(PMPI_Type_commit(&type_));
    *base = &elsewhere;
    *count = 1;
    *type = type_;
    return MPI_SUCCESS;
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

int pack(const void* from, std::size_t count, const TypeLayout& layout, std::byte* to,
         const Context& context) {
  if (count == 0 || layout.size == 0) return MPI_SUCCESS;
  if (layout.plain) {
    copy_bytes(static_cast<const std::byte*>(from), to, count * layout.size, context);
    return MPI_SUCCESS;
  }
  if (layout.size > INT_MAX) return MPI_ERR_TYPE;
  const std::size_t step = pack_step(layout);
  for (std::size_t i = 0; i < count; i += step) {
    int n = static_cast<int>(std::min(step, count - i));
    const auto bytes = static_cast<int>(n * layout.size);
    const std::byte* elements = layout.element(from, i);
    MPI_Datatype type = layout.type;
    FromBottom bottom;
    COLLTREE_TRY(bottom.avoid(&elements, &n, &type));
    int position = 0;
    COLLTREE_TRY(
        PMPI_Pack(elements, n, type, to + i * layout.size, bytes, &position, context.comm));
  }
  charge(count * layout.size, context);
  return MPI_SUCCESS;
}

int unpack(const std::byte* from, void* to, std::size_t count, const TypeLayout& layout,
           const Context& context) {
  if (count == 0 || layout.size == 0) return MPI_SUCCESS;
  if (layout.plain) {
    copy_bytes(from, static_cast<std::byte*>(to), count * layout.size, context);
    return MPI_SUCCESS;
  }
  if (layout.size > INT_MAX) return MPI_ERR_TYPE;
  const std::size_t step = pack_step(layout);
  for (std::size_t i = 0; i < count; i += step) {
    int n = static_cast<int>(std::min(step, count - i));
    const auto bytes = static_cast<int>(n * layout.size);
    std::byte* elements = layout.element(to, i);
    MPI_Datatype type = layout.type;
    FromBottom bottom;
    COLLTREE_TRY(bottom.avoid(&elements, &n, &type));
    int position = 0;
    COLLTREE_TRY(
        PMPI_Unpack(from + i * layout.size, bytes, &position, elements, n, type, context.comm));
  }
  charge(count * layout.size, context);
  return MPI_SUCCESS;
}

int copy(const void* from, void* to, std::size_t count, const TypeLayout& layout,
         const Context& context) {
  return convert(from, count, layout, to, count, layout, context);
}

int convert(const void* from, std::size_t from_count, const TypeLayout& from_layout, void* to,
            std::size_t to_count, const TypeLayout& to_layout, const Context& context) {
  if (to_layout.plain)
    return pack(from, from_count, from_layout, static_cast<std::byte*>(to), context);
  if (from_layout.plain)
    return unpack(static_cast<const std::byte*>(from), to, to_count, to_layout, context);
  Scratch packed;
  COLLTREE_TRY(packed.allocate(from_count * from_layout.size));
  COLLTREE_TRY(pack(from, from_count, from_layout, packed.data(), context));
  return unpack(packed.data(), to, to_count, to_layout, context);
}

int ByteMessage::open_packed(const Context& context) {
  COLLTREE_TRY(packed_.allocate(bytes_));
  data_ = packed_.data();
  return source_ ? pack(buffer_, count_, layout_, data_, context) : MPI_SUCCESS;
}

}  // namespace colltree::algorithms
