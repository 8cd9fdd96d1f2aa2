// SPDX-License-Identifier: BSD-3-Clause
// The settings that the environment asks for (docs/tasks/programs.md), which rank 0 makes the same
// on all ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace colltree::runtime {

// The variables of this rank's environment; null or false: not set.
struct Environment {
  const char* model = nullptr;   // COLLTREE_MODEL: the compact decision file
  const char* force = nullptr;   // COLLTREE_FORCE: methods in place of the model's
  const char* record = nullptr;  // COLLTREE_RECORD: where the flight recorder writes
  bool check = false;            // COLLTREE_CHECK
  bool sample = true;            // unless COLLTREE_SAMPLE is 0

  bool asks() const { return model != nullptr || force != nullptr || record != nullptr || check; }
};

Environment read_environment() noexcept;

// The same on all ranks.
struct Settings {
  std::unique_ptr<unsigned char[]> model;  // the file's bytes; null: no model
  std::size_t model_size = 0;
  std::unique_ptr<char[]> force;   // null: nothing is forced
  std::unique_ptr<char[]> record;  // the recorder's file; null: nothing is recorded
  bool check = false;
  bool sample = true;  // finds by samples how long ranks wait, if there is a record

  bool asks() const { return model != nullptr || force != nullptr || record != nullptr || check; }
};

// Rank 0 reads the model, and says in one line what is wrong with its settings, in which case
// nothing is asked for: the program runs as without this library. Collective over MPI_COMM_WORLD.
// Returns an MPI error code.
int agree_on_settings(const Environment& environment, Settings* settings) noexcept;

// The only thing this library ever prints: one line on standard error, "colltree: ...".
// Like printf, without the final newline. Control characters become '?'; longer lines are cut.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

// All of it, or errno says why not. A pipe whose reader has gone does not end the program
// (SIGPIPE).
bool write_all(int file, const char* data, std::size_t size) noexcept;

}  // namespace colltree::runtime
