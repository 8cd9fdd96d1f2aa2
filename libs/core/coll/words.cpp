// SPDX-License-Identifier: BSD-3-Clause
// The text for people about methods and collectives. It is apart from method.cpp and
// collective.cpp, which the runtime library links, because it needs exceptions.

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"
#include "coll/catalogue.h"
#include "coll/collective.h"
#include "coll/library_algorithms.h"
#include "coll/method.h"

namespace colltree {

namespace {

// True if colltree's catalogue or a library's table has such an algorithm; else a user named it.
bool is_known(std::string_view algorithm) {
  return std::ranges::any_of(all_collectives(), [&](const CollectiveInfo& info) {
    return find_portable_algorithm(info.collective, algorithm) != nullptr ||
           find_nonblocking(info.collective, algorithm) != nullptr ||
           std::ranges::any_of(libraries(), [&](const LibraryInfo& library) {
             return find_algorithm(library.library, info.collective, algorithm) != nullptr;
           });
  });
}

}  // namespace

std::string Method::label() const {
  if (!segment_size || is_known(algorithm)) return papers_label();
  return *segment_size == 0 ? name() : name() + "_" + format_bytes(*segment_size);
}

std::string Method::papers_label() const {
  if (!segment_size) return name();
  std::string label;
  bool start = true;
  for (const char c : name()) {
    if (c == '_') {
      start = true;
      continue;
    }
    label += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return label + "_" + format_bytes(*segment_size);
}

namespace {

// "MPI_Allreduce" as colltree calls it.
std::string plain_name(std::string_view name) {
  std::string plain = lower(name);
  for (const std::string_view prefix : {"pmpi_", "mpi_"}) {
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  }
  if (plain.ends_with("_c")) plain.resize(plain.size() - 2);
  return plain;
}

// The blocking form that MPI_Iallreduce and MPI_Allreduce_init are forms of.
std::optional<Collective> blocking_form(std::string plain) {
  if (plain.ends_with("_init")) plain.resize(plain.size() - 5);
  if (plain.starts_with("i")) return find_collective(std::string_view(plain).substr(1));
  return find_collective(plain);
}

}  // namespace

Collective parse_collective(std::string_view name) {
  const std::string plain = plain_name(name);
  if (const auto found = find_collective(plain)) return *found;
  if (const auto form = blocking_form(plain))
    throw Error(concat("unknown collective '", name, "'; name its blocking form, ",
                       colltree::name(*form), ": what is measured and decided is ",
                       colltree::name(*form)));
  std::vector<std::string> names;
  for (const CollectiveInfo& info : all_collectives()) names.emplace_back(info.name);
  throw Error(concat("unknown collective '", name, "'", meant_or_known(plain, names)));
}

std::vector<Collective> parse_collectives(std::string_view names) {
  std::vector<Collective> collectives;
  for (const std::string_view part : split(names, ',')) {
    const Collective collective = parse_collective(trim(part));
    if (std::ranges::find(collectives, collective) == collectives.end())
      collectives.push_back(collective);
  }
  return collectives;
}

}  // namespace colltree
