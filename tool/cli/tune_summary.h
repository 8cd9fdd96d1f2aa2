// SPDX-License-Identifier: BSD-3-Clause
// The result of a tuning as text and as JSON: methods, penalties, verified gains, files, verdict.
#pragma once

#include "cli/tune_verdict.h"

namespace colltree {
class Json;
}  // namespace colltree
namespace colltree::cli {

// On standard output; the verdict (verdict_lines) ends it, and begins it where nothing is deployed.
// `details`: also all tables and the files.
void print_tuning(const TunedIn& in, const deploy::Tuning& tuning,
                  const std::vector<std::string>& verdict, bool details);

Json tuning_json(const TunedIn& in, const deploy::Tuning& tuning,
                 const std::vector<std::string>& verdict);

}  // namespace colltree::cli
