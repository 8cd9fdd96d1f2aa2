// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/merge.h"

#include <algorithm>
#include <cstring>

namespace colltree::optimal {

namespace {

constexpr std::size_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

struct Sum {
  [[gnu::always_inline]] static void apply(Lanes& value, const Lanes& a) { value = value + a; }
};
struct Max {
  [[gnu::always_inline]] static void apply(Lanes& value, const Lanes& a) {
    value = value < a ? a : value;
  }
};

[[gnu::always_inline]] inline void load(Lanes& value, const double* from) {
  std::memcpy(&value, from, sizeof(value));
}

// Computes kBlocks vectors of adjacent results, kept in registers while i runs: a result is the
// minimum over i of a[i] (+) b[t - i], with t counted from the second value of out.
template <typename Combination, std::size_t kBlocks>
[[gnu::always_inline]] inline void block(const double* a, std::size_t p, const double* b,
                                         std::size_t q, double* out, std::size_t t) {
  Lanes best[kBlocks];
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kBlocks; ++v) load(best[v], out + t + v * kLanes);
  const std::size_t first = t < q ? 0 : t - q + 1;
  const std::size_t end = std::min(p, t + kBlocks * kLanes);
  for (std::size_t i = first; i < end; ++i) {
    const Lanes cost = {a[i], a[i], a[i], a[i]};
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kBlocks; ++v) {
      Lanes value;
      load(value, b + t + v * kLanes - i);
      Combination::apply(value, cost);
      best[v] = value < best[v] ? value : best[v];
    }
  }
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kBlocks; ++v)
    std::memcpy(out + t + v * kLanes, &best[v], sizeof(Lanes));
}

// `out` is at its second value.
template <typename Combination>
[[gnu::always_inline]] inline void run(const double* a, std::size_t p, const double* b,
                                       std::size_t q, double* out, std::size_t count) {
  std::size_t t = 0;
  for (; t + kLanes < count; t += 2 * kLanes) block<Combination, 2>(a, p, b, q, out, t);
  for (; t < count; t += kLanes) block<Combination, 1>(a, p, b, q, out, t);
}

template <typename Combination>
void run_plain(const double* a, std::size_t p, const double* b, std::size_t q, double* out,
               std::size_t count) {
  run<Combination>(a, p, b, q, out, count);
}

#if defined(__x86_64__)
template <typename Combination>
[[gnu::target("avx2")]] void run_avx2(const double* a, std::size_t p, const double* b,
                                      std::size_t q, double* out, std::size_t count) {
  run<Combination>(a, p, b, q, out, count);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
template <typename Combination>
constexpr auto run_avx2 = run_plain<Combination>;

bool has_avx2() { return false; }
#endif

}  // namespace

Merger::Merger(Combine how)
    : kernel_(how == Combine::kSum ? (has_avx2() ? run_avx2<Sum> : run_plain<Sum>)
                                   : (has_avx2() ? run_avx2<Max> : run_plain<Max>)) {
  static_assert(kSlack >= 2 * kLanes && kPad >= 2 * kLanes);
}

void Merger::merge(std::span<const double> a, std::span<const double> b, double* out,
                   std::size_t most) const {
  if (a.empty() || b.empty() || most < 2) return;
  if (a.size() > b.size()) std::swap(a, b);
  const std::size_t p = std::min(a.size(), most - 1);
  kernel_(a.data(), p, b.data(), b.size(), out + 1, std::min(most - 1, p + b.size() - 1));
}

}  // namespace colltree::optimal
