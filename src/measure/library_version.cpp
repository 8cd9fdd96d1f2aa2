// SPDX-License-Identifier: BSD-3-Clause
#include "measure/library_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "measure/worker.h"

namespace colltree {

namespace {

// The number that follows `after` and blanks, up to a blank or comma.
std::string number_after(std::string_view text, std::string_view after) {
  text.remove_prefix(text.find(after) + after.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return std::string(text.substr(0, text.find_first_of(", \t\n")));
}

}  // namespace

std::string library_version(const std::filesystem::path& program) {
  Worker worker({program.string(), "--library"});
  std::string first;
  const auto keep_first = [&first](std::string_view line) {
    if (first.empty()) first = line;
  };
  worker.read_all(30, keep_first, keep_first);
  const std::string trouble = worker.wait();
  if (!trouble.empty() || first.empty()) {
    throw Error(fmt::format("{} does not run ({}): {}", program.string(), trouble, first));
  }
  return first;
}

std::string short_library_name(const std::string& version_text) {
  struct Known {
    const char* before_number;
    const char* name;
  };
  constexpr Known kKnown[] = {{"Open MPI v", "openmpi"},
                              {"MPICH Version:", "mpich"},  // a tab or blanks, as its version likes
                              {"SMPI Version ", "smpi"},
                              {"Intel(R) MPI Library ", "intelmpi"}};
  for (const Known& known : kKnown) {
    if (version_text.starts_with(known.before_number)) {
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
