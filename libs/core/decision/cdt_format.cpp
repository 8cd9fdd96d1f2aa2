// SPDX-License-Identifier: BSD-3-Clause
#include "decision/cdt_format.h"

#include "coll/collective.h"

namespace colltree::cdt {

namespace {

// A part of the file. Reading beyond it gives 0 and is remembered, so that the checks below can be
// written in the order of the format and end with one question.
class Part {
 public:
  Part(const unsigned char* bytes, std::size_t size) : bytes_(bytes), left_(size) {}

  const unsigned char* take(std::uint64_t count) {
    if (count > left_) {
      short_ = true;
      left_ = 0;
      return nullptr;
    }
    const unsigned char* taken = bytes_;
    bytes_ += count;
    left_ -= count;
    return taken;
  }
  std::uint32_t u32() {
    const unsigned char* field = take(4);
    return field == nullptr ? 0 : load<std::uint32_t>(field);
  }
  bool ended_well() const { return !short_ && left_ == 0; }
  bool is_short() const { return short_; }

 private:
  const unsigned char* bytes_;
  std::size_t left_;
  bool short_ = false;
};

bool inside(const View& view, std::uint64_t offset, std::uint64_t bytes) {
  return offset >= kHeaderBytes && offset <= view.size && bytes <= view.size - offset;
}

const char* check_header(const unsigned char* bytes, std::size_t size) {
  if (size < kHeaderBytes) return "too short for a compact decision file";
  if (std::memcmp(bytes, kMagic, sizeof kMagic) != 0) return "not a compact decision file";
  if (load<std::uint32_t>(bytes + kAtVersion) > kVersion) {
    return "written by a newer colltree; update this one";
  }
  if (load<std::uint32_t>(bytes + kAtVersion) != kVersion) return "of an unknown version";
  if (load<std::uint32_t>(bytes + kAtFileSize) != size) return "truncated or with a tail";
  if (load<std::uint64_t>(bytes + kAtChecksum) !=
      checksum(bytes + kCheckedFrom, size - kCheckedFrom)) {
    return "damaged: the checksum does not match";
  }
  return nullptr;
}

const char* check_strings(View& view, std::uint32_t& strings_size) {
  const auto offset = load<std::uint32_t>(view.bytes + kAtStrings);
  strings_size = load<std::uint32_t>(view.bytes + kAtStringsSize);
  if (!inside(view, offset, strings_size) || strings_size == 0) return "damaged: strings";
  const unsigned char* strings = view.bytes + offset;
  if (strings[strings_size - 1] != 0) return "damaged: strings do not end";
  for (std::uint32_t i = 0; i < strings_size; ++i) {
    if (control_bytes(strings + i) > 0) return "damaged: control character in a name";
  }
  view.strings = reinterpret_cast<const char*>(strings);
  const auto find = [&](std::uint32_t field, const char** text) {
    const auto offset_in_strings = load<std::uint32_t>(view.bytes + field);
    if (offset_in_strings < strings_size) *text = view.strings + offset_in_strings;
    return *text != nullptr;
  };
  if (!find(kAtDescription, &view.description)) return "damaged: description";
  return find(kAtProvenance, &view.provenance) && find(kAtAlgorithms, &view.algorithms) &&
                 find(kAtMpi, &view.mpi)
             ? nullptr
             : "damaged: origin";
}

const char* check_methods(View& view, std::uint32_t strings_size) {
  const auto offset = load<std::uint32_t>(view.bytes + kAtMethods);
  view.method_count = load<std::uint32_t>(view.bytes + kAtMethodCount);
  if (view.method_count == 0 || view.method_count > kMostMethods ||
      !inside(view, offset, std::uint64_t{view.method_count} * kMethodBytes)) {
    return "damaged: methods";
  }
  view.methods = view.bytes + offset;
  for (std::uint32_t i = 0; i < view.method_count; ++i) {
    const unsigned char* method = view.methods + std::size_t{i} * kMethodBytes;
    if (load<std::uint32_t>(method + 8) >= strings_size || load<std::uint32_t>(method + 12) != 0) {
      return "damaged: method name";
    }
  }
  return nullptr;
}

bool good_reference(std::uint32_t reference, std::uint32_t least_node, std::uint32_t nodes,
                    std::uint32_t methods) {
  if (reference > 0xFFFF) return false;
  if ((reference & kLeafBit) != 0) return (reference & ~kLeafBit) < methods;
  return reference >= least_node && reference < nodes;
}

const char* check_tree(Part part, std::uint32_t methods, RootView& root) {
  root.node_count = part.u32();
  root.root = part.u32();
  if (root.node_count > kMostNodes) return "damaged: tree too large";
  root.nodes = part.take(std::uint64_t{root.node_count} * kNodeBytes);
  if (!part.ended_well()) return "damaged: tree cut off";
  if (!good_reference(root.root, 0, root.node_count, methods)) return "damaged: tree root";
  root.two_sizes = true;
  for (std::uint32_t i = 0; i < root.node_count; ++i) {
    const unsigned char* node = root.nodes + std::size_t{i} * kNodeBytes;
    // Later nodes only: no path is longer than the tree has nodes.
    if (!good_reference(load<std::uint16_t>(node), i + 1, root.node_count, methods) ||
        !good_reference(load<std::uint16_t>(node + 2), i + 1, root.node_count, methods)) {
      return "damaged: tree reference";
    }
    const auto word = load<std::uint64_t>(node + 4);
    if ((word & 7) >= kAttributes || (word >> 3) >= kMostValue) return "damaged: tree test";
    root.two_sizes &= (word & 7) < 2;
  }
  return nullptr;
}

// How many thresholds are below `value`: where a lookup that starts at this value must begin.
std::uint32_t below(const AxisView& axis, std::uint64_t value, std::uint32_t from) {
  while (from + 1 < axis.size &&
         load<std::uint64_t>(axis.thresholds + std::size_t{8} * from) < value)
    ++from;
  return from;
}

const char* check_axis(Part& part, AxisView& axis, std::uint32_t buckets) {
  const std::uint32_t thresholds = axis.size - 1;
  axis.thresholds = part.take(std::uint64_t{8} * (thresholds + axis.probes));
  axis.buckets = part.take((std::uint64_t{2} * buckets + 7) / 8 * 8);
  if (part.is_short()) return "damaged: table cut off";
  for (std::uint32_t i = 0; i < thresholds + axis.probes; ++i) {
    const auto threshold = load<std::uint64_t>(axis.thresholds + std::size_t{8} * i);
    const bool ascends =
        i == 0 || threshold > load<std::uint64_t>(axis.thresholds + std::size_t{8} * (i - 1));
    const bool padding = i >= thresholds;
    if (padding ? threshold != UINT64_MAX : (!ascends || threshold == UINT64_MAX)) {
      return "damaged: table thresholds";
    }
  }
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    start = below(axis, bucket_begin(i, axis.mantissa), start);
    if (load<std::uint16_t>(axis.buckets + std::size_t{2} * i) != start) {
      return "damaged: table buckets";
    }
    const std::uint32_t end =
        i == axis.last_bucket ? thresholds : below(axis, bucket_begin(i + 1, axis.mantissa), start);
    if (end - start > axis.probes) return "damaged: table probes";
  }
  return nullptr;
}

const char* check_table(Part part, std::uint32_t methods, RootView& root) {
  root.axis_count = part.u32();
  root.cell_bytes = part.u32();
  const std::uint32_t cells = part.u32();
  if (part.u32() != 0 || root.axis_count == 0 || root.axis_count > kMostAxes ||
      (root.cell_bytes != 1 && root.cell_bytes != 2)) {
    return "damaged: table";
  }
  std::uint32_t buckets[kMostAxes] = {};
  std::uint32_t seen = 0;
  std::uint64_t product = 1;
  for (std::uint32_t i = 0; i < root.axis_count; ++i) {
    AxisView& axis = root.axes[i];
    axis.attribute = part.u32();
    axis.mantissa = part.u32();
    buckets[i] = part.u32();
    axis.size = part.u32() + 1;
    axis.probes = part.u32();
    if (part.u32() != 0 || axis.attribute >= kAttributes || axis.mantissa > kMostMantissa ||
        buckets[i] == 0 || buckets[i] > kMostBuckets || buckets[i] > all_buckets(axis.mantissa) ||
        axis.size == 0 || axis.size > kMostThresholds || axis.probes >= axis.size ||
        (seen & (1U << axis.attribute)) != 0) {
      return "damaged: table axis";
    }
    axis.last_bucket = buckets[i] - 1;
    seen |= 1U << axis.attribute;
    product *= axis.size;
    if (product > UINT32_MAX) return "damaged: table too large";
  }
  for (std::uint32_t i = 0; i < root.axis_count; ++i) {
    if (const char* wrong = check_axis(part, root.axes[i], buckets[i])) return wrong;
  }
  root.cells = part.take(product * root.cell_bytes);
  if (!part.ended_well() || product != cells) return "damaged: table cells";
  for (std::size_t i = 0; i < cells; ++i) {
    const std::uint32_t method =
        root.cell_bytes == 1 ? root.cells[i] : load<std::uint16_t>(root.cells + 2 * i);
    if (method >= methods) return "damaged: table cell";
  }
  root.two_sizes =
      root.axis_count == 2 && root.axes[0].attribute == 0 && root.axes[1].attribute == 1;
  return nullptr;
}

const char* check_roots(View& view, std::uint32_t strings_size) {
  const auto count = load<std::uint32_t>(view.bytes + kAtRootCount);
  const auto offset = load<std::uint32_t>(view.bytes + kAtRoots);
  if (count == 0 || count > 256 || !inside(view, offset, std::uint64_t{count} * kRootBytes)) {
    return "damaged: roots";
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const unsigned char* entry = view.bytes + offset + std::size_t{i} * kRootBytes;
    const auto collective_name = load<std::uint32_t>(entry);
    const auto form = load<std::uint32_t>(entry + 4);
    const auto root_offset = load<std::uint32_t>(entry + 8);
    const auto size = load<std::uint32_t>(entry + 12);
    if (collective_name >= strings_size || !inside(view, root_offset, size)) return "damaged: root";
    RootView root;
    const Part part(view.bytes + root_offset, size);
    const char* wrong = form == kTree    ? check_tree(part, view.method_count, root)
                        : form == kTable ? check_table(part, view.method_count, root)
                                         : "damaged: unknown form";
    if (wrong != nullptr) return wrong;
    // A collective that this library does not know is checked and then left alone.
    const auto collective = find_collective(view.strings + collective_name);
    if (!collective) continue;
    RootView& place = view.roots[static_cast<std::size_t>(*collective)];
    if (place.form != kNone) return "damaged: a collective twice";
    place = root;
    place.form = static_cast<Form>(form);
  }
  return nullptr;
}

}  // namespace

const char* check(const void* bytes, std::size_t size, View& view) noexcept {
  view = View{};
  view.bytes = static_cast<const unsigned char*>(bytes);
  if (size > UINT32_MAX) return "too large for a compact decision file";
  view.size = static_cast<std::uint32_t>(size);
  std::uint32_t strings_size = 0;
  const char* wrong = check_header(view.bytes, size);
  if (wrong == nullptr) wrong = check_strings(view, strings_size);
  if (wrong == nullptr) wrong = check_methods(view, strings_size);
  if (wrong == nullptr) wrong = check_roots(view, strings_size);
  return wrong;
}

}  // namespace colltree::cdt
