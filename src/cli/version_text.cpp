// SPDX-License-Identifier: BSD-3-Clause
#include "cli/version_text.h"

#include <fmt/core.h>

#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "measure/job.h"
#include "measure/platform.h"
#include "model/model.h"
#include "profile/schema.h"
#include "runtime/cdt_format.h"

namespace colltree {

std::string version_text() {
  const std::vector<std::string> flavours = built_flavours();
  return fmt::format(
      "{}\ncommit {}\nwrites profile {}, model {}, compact decision file {}\nmeasures under {}; {}",
      kVersion, COLLTREE_COMMIT, kSchemaVersion, kModelFormat, cdt::kVersion,
      flavours.empty() ? "no MPI library" : join(flavours, ", "),
      try_program("colltree-simulate") ? "simulates" : "does not simulate");
}

}  // namespace colltree
