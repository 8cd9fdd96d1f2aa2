// SPDX-License-Identifier: BSD-3-Clause
#include "measure/library_version.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/worker.h"

namespace colltree {

namespace {

// The number that follows `after`, up to a blank or comma.
std::string number_after(const std::string& text, std::string_view after) {
  const std::size_t begin = text.find(after) + after.size();
  return std::string(
      trim(std::string_view(text).substr(begin, text.find_first_of(", \t\n", begin) - begin)));
}

}  // namespace

std::string library_version(const std::filesystem::path& program) {
  Worker worker({program.string(), "--library"});
  std::string first;
  const auto keep_first = [&first](std::string_view line) {
    if (first.empty()) first = line;
  };
  worker.read(
      30, [] { return false; }, keep_first, keep_first);
  const std::string trouble = worker.wait();
  if (!trouble.empty() || first.empty()) {
    throw Error(fmt::format("{} does not run ({}): {}", program.string(), trouble, first));
  }
  return first;
}

std::string short_library_name(const std::string& version_text) {
  struct Known {
    const char* mark;
    const char* before_number;
    const char* name;
  };
  constexpr Known kKnown[] = {{"Open MPI v", "Open MPI v", "openmpi"},
                              {"MPICH Version:", "MPICH Version:\t", "mpich"},
                              {"SMPI Version ", "SMPI Version ", "smpi"},
                              {"Intel(R) MPI Library ", "Intel(R) MPI Library ", "intelmpi"}};
  for (const Known& known : kKnown) {
    if (version_text.starts_with(known.mark)) {
      return fmt::format("{}-{}", known.name, number_after(version_text, known.before_number));
    }
  }
  std::string plain = version_text.substr(0, 60);
  for (char& c : plain) {
    if (c == ',' || c == '"' || static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return std::string(trim(plain));
}

}  // namespace colltree
