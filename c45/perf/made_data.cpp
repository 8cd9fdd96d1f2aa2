// SPDX-License-Identifier: BSD-3-Clause
#include "made_data.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/file.h"
#include "base/text.h"

namespace colltree::perf {

namespace {

constexpr int kClasses = 20;
constexpr const char* kCollectives[] = {"bcast", "reduce", "alltoall", "gather", "allreduce"};

c45::Schema made_schema() {
  c45::Schema schema;
  for (int c = 0; c < kClasses; ++c) schema.classes.push_back(fmt::format("method_{}", c));
  c45::Attribute collective{.name = "collective", .kind = c45::AttributeKind::kDiscrete};
  for (const char* name : kCollectives) collective.values.emplace_back(name);
  schema.attributes = {collective, {.name = "communicator_size"}, {.name = "message_size"}};
  return schema;
}

int rule(std::uint32_t collective, double log_ranks, double log_bytes) {
  const int slanted = static_cast<int>((log_bytes + 0.4 * log_ranks) / 3.5);
  const int ranks = static_cast<int>(log_ranks / 3);
  return static_cast<int>(collective * 7 + slanted * 3 + ranks * 5) % kClasses;
}

template <typename T>
void write_binary(const std::string& path, const std::vector<T>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

}  // namespace

c45::Dataset made_data(std::size_t cases, Layout layout) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  c45::Dataset data{made_schema(), {}};
  data.cases = c45::empty_cases(data.schema);
  for (std::size_t i = 0; i < cases; ++i) {
    const auto collective = static_cast<std::uint32_t>(below(5)) + 1;
    double ranks = std::floor(std::exp2(1 + real() * 11));
    double bytes = std::floor(std::exp2(real() * 24));
    if (layout == Layout::kGrid) {
      ranks = static_cast<double>(2 + 4 * below(32));
      bytes = std::floor(std::exp2(static_cast<double>(below(49)) / 2));
    }
    const int label = below(10) == 0 ? static_cast<int>(below(kClasses))
                                     : rule(collective, std::log2(ranks), std::log2(bytes));
    data.cases.values[0].push_back(collective);
    data.cases.numbers[1].push_back(static_cast<float>(ranks));
    data.cases.numbers[2].push_back(static_cast<float>(bytes));
    data.cases.label.push_back(static_cast<std::uint32_t>(label));
  }
  return data;
}

void write_data(const c45::Dataset& data, const std::string& stem) {
  const auto joined = [](const std::vector<std::string>& names) { return join(names, ","); };
  const std::string classes = joined(data.schema.classes);
  const std::string collectives = joined(data.schema.attributes[0].values);
  write_file(stem + ".names", fmt::format("{}.\n\ncollective: {}.\ncommunicator_size: "
                                          "continuous.\nmessage_size: continuous.\n",
                                          classes, collectives));
  std::string rows;
  std::vector<float> matrix;
  for (std::size_t i = 0; i < data.cases.size(); ++i) {
    const std::uint32_t collective = data.cases.values[0][i];
    fmt::format_to(std::back_inserter(rows), "{},{:.0f},{:.0f},{}\n", kCollectives[collective - 1],
                   data.cases.numbers[1][i], data.cases.numbers[2][i],
                   data.schema.classes[data.cases.label[i]]);
    matrix.push_back(static_cast<float>(collective));
    matrix.push_back(data.cases.numbers[1][i]);
    matrix.push_back(data.cases.numbers[2][i]);
  }
  write_file(stem + ".data", rows);
  write_file(stem + ".arff", fmt::format("@relation made\n@attribute collective {{{}}}\n@attribute "
                                         "communicator_size numeric\n@attribute message_size "
                                         "numeric\n@attribute method {{{}}}\n@data\n{}",
                                         collectives, classes, rows));
  write_binary(stem + ".f32", matrix);
  write_binary(stem + ".i32", data.cases.label);
}

}  // namespace colltree::perf
