// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/results_format.h"

#include <algorithm>

#include "profile/importers/log_lines.h"

namespace colltree {

std::span<const ResultsFormat> results_formats() {
  static const ResultsFormat kFormats[] = {
#define COLLTREE_RESULTS_FORMAT(name) importers::name(),
#include "profile/importers/formats.def"
#undef COLLTREE_RESULTS_FORMAT
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
  std::string held;
  const std::string_view plain = plain_line(line, held);
  for (const ResultsFormat& format : results_formats()) {
    if (format.recognises != nullptr ? format.recognises(line)
                                     : find_mark(plain, format.marks).has_value()) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace colltree
