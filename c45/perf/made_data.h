// SPDX-License-Identifier: BSD-3-Clause
// Made-up tuning data for timing C4.5: collective (5 values), communicator size, message size;
// 20 classes in regions with slanted borders; 10 % of the labels drawn at random.
#pragma once

#include <string>

#include "release8/reader.h"

namespace colltree::perf {

enum class Layout {
  kScattered,  // communicator sizes 2..4096, message sizes up to 16 MB, all integers
  kGrid,       // 32 x 49 sizes, each point many times
};

c45::Dataset made_data(std::size_t cases, Layout layout);

// STEM.names and STEM.data; STEM.arff for Weka; STEM.f32 (cases x 3 float32) and STEM.i32 (labels)
// for scikit-learn.
void write_data(const c45::Dataset& data, const std::string& stem);

}  // namespace colltree::perf
