// SPDX-License-Identifier: BSD-3-Clause
// Submits jobs to a batch system, and reads which of them have been submitted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batch/batch_template.h"

namespace colltree::batch {

struct Submission {
  std::filesystem::path script;
  std::filesystem::path output;
  std::string after;             // the job whose end it waits for; "": none
  std::uint64_t begin_in_s = 0;  // the seconds from now before which it must not start
};

// The command that submits it, in words.
std::vector<std::string> submit_command(const BatchTemplate& system, const Submission& job);

// The batch system's name of a job in what the command printed; "": it is not there.
std::string job_name(const BatchTemplate& system, const std::string& printed);

// Returns its name of the job. Throws Error where it takes none.
std::string submit(const BatchTemplate& system, const Submission& job);

// The command by which people end these jobs; "": the template does not say.
std::string cancel_command(const BatchTemplate& system, const std::vector<std::string>& jobs);

// The names of the jobs in FILE, a line each, in the order of their submission; none where there is
// no file.
std::vector<std::string> submitted_jobs(const std::filesystem::path& file);

}  // namespace colltree::batch
