// SPDX-License-Identifier: BSD-3-Clause
// The readers of results_format.cpp's table, each defined by the file of its name.
#pragma once

#include "profile/importers/results_format.h"

namespace colltree {

bool recognises_osu(std::string_view line);
std::unique_ptr<ResultsReader> open_osu(TimingRows& rows, std::string_view time_column);

bool recognises_imb(std::string_view line);
std::unique_ptr<ResultsReader> open_imb(TimingRows& rows, std::string_view time_column);

bool recognises_nccl_tests(std::string_view line);
std::unique_ptr<ResultsReader> open_nccl_tests(TimingRows& rows, std::string_view time_column);

bool recognises_reprompi(std::string_view line);
std::unique_ptr<ResultsReader> open_reprompi(TimingRows& rows, std::string_view time_column);

bool recognises_ompi_tuning(std::string_view line);
std::unique_ptr<ResultsReader> open_ompi_tuning(TimingRows& rows, std::string_view time_column);

bool recognises_pico(std::string_view line);
std::unique_ptr<ResultsReader> open_pico(TimingRows& rows, std::string_view time_column);

}  // namespace colltree
