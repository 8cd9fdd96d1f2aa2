// SPDX-License-Identifier: BSD-3-Clause
// A batch system, as far as a campaign needs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "batch/batch_template.h"
#include "batch/job_sequence.h"

namespace colltree {

// What it says of a job.
struct JobLook {
  JobState state = JobState::kGone;
  std::optional<double> seconds;  // that it has run, since it was last started
  std::optional<std::uint64_t> nodes;
};

class BatchSystem {
 public:
  virtual ~BatchSystem() = default;
  // Its name of the job. Throws Error when it takes none.
  virtual std::string submit(const std::filesystem::path& script,
                             const std::filesystem::path& output) = 0;
  // Nothing: it says nothing of this job, now.
  virtual std::optional<JobLook> look(const std::string& job) = 0;
  virtual std::string cancel_text(const std::string& job) const = 0;  // what people type
};

class CommandBatchSystem : public BatchSystem {
 public:
  explicit CommandBatchSystem(BatchTemplate words) : words_(std::move(words)) {}
  std::string submit(const std::filesystem::path& script,
                     const std::filesystem::path& output) override;
  std::optional<JobLook> look(const std::string& job) override;
  std::string cancel_text(const std::string& job) const override;

 private:
  BatchTemplate words_;
};

// What the template makes of what its system prints of a job.
std::optional<JobLook> recognise(const BatchTemplate& words, const std::string& text);

}  // namespace colltree
