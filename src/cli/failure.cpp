// SPDX-License-Identifier: BSD-3-Clause
#include "cli/failure.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>

#include "base/error.h"

namespace colltree {

std::string explain_failure(const std::exception& failure, const std::string& called) {
  if (dynamic_cast<const Error*>(&failure) != nullptr) return failure.what();
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return fmt::format("'{}' needs more memory than there is; ask for less at once", called);
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&failure))
    return fmt::format("{}: {}", file->path1().string(), file->code().message());
  return fmt::format(
      "'{}' met something that it was not written for; please report the whole command line "
      "with this: {}",
      called, failure.what());
}

}  // namespace colltree
