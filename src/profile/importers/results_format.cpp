// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/results_format.h"

#include <algorithm>

#include "profile/importers/formats.h"

namespace colltree {

std::span<const ResultsFormat> results_formats() {
  static const ResultsFormat kFormats[] = {
      {"osu",
       "OSU micro-benchmarks",
       "of one rank, of one pair for alltoall; reduce_scatter_block's whole buffer was divided",
       {"avg", "min", "max"},
       "",
       recognises_osu,
       open_osu},
      {"imb",
       "Intel MPI Benchmarks",
       "as here",
       {"avg", "min", "max"},
       "",
       recognises_imb,
       open_imb},
      {"nccl-tests",
       "nccl-tests or rccl-tests",
       "of the whole buffer; divided by the ranks but for all_reduce, broadcast, reduce and "
       "reduce_scatter",
       {"out-of-place", "in-place"},
       "{collective}_perf*",
       recognises_nccl_tests,
       open_nccl_tests},
      {"reprompi",
       "ReproMPI",
       "of one rank, of one pair for alltoall; reduce_scatter's was multiplied by the ranks",
       {"median", "mean", "min", "max"},
       "",
       recognises_reprompi,
       open_reprompi},
      {"ompi-tuning",
       "detail.out of ompi-collectives-tuning",
       "as here",
       {"mean"},
       "{collective}/*",
       recognises_ompi_tuning,
       open_ompi_tuning},
      {"pico",
       "aggregated_results_summary.csv of PICO",
       "of the whole buffer; divided by the ranks but for allreduce, bcast, reduce and "
       "reduce_scatter",
       {"median", "mean", "min", "max"},
       "",
       recognises_pico,
       open_pico},
  };
  return kFormats;
}

std::vector<std::string> results_format_names() {
  std::vector<std::string> names;
  for (const ResultsFormat& format : results_formats()) names.emplace_back(format.name);
  return names;
}

const ResultsFormat* find_results_format(std::string_view name) {
  const auto found = std::ranges::find(results_formats(), name, &ResultsFormat::name);
  return found == results_formats().end() ? nullptr : &*found;
}

const ResultsFormat* recognised_format(std::string_view line) {
  for (const ResultsFormat& format : results_formats()) {
    if (format.recognises(line)) return &format;
  }
  return nullptr;
}

}  // namespace colltree
