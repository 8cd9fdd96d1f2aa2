// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job.h"

#include <new>

#include "algorithms/private_communicator.h"
#include "algorithms/types.h"
#include "runtime/communicator.h"
#include "runtime/legal.h"
#include "runtime/loaded_library.h"
#include "runtime/messages.h"
#include "runtime/record.h"
#include "runtime/settings.h"
#include "runtime/waiting.h"

namespace colltree::runtime {

Job* job = nullptr;
bool job_was_begun = false;

namespace {

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, the last that was set first.
// This one is set before the program sets any, so that what its own callbacks call is still
// counted.
int ask_for_the_end() {
  const auto end_at_finalize = [](MPI_Comm, int, void*, void*) -> int {
    end_job();
    return MPI_SUCCESS;
  };
  int keyval = MPI_KEYVAL_INVALID;
  COLLTREE_TRY(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_at_finalize, &keyval, nullptr));
  const int rc = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);  // once the attribute is gone
  return rc;
}

// Programs that a program starts have their own MPI_COMM_WORLD, and are left alone.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  return PMPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent != MPI_COMM_NULL;
}

int open(Job& new_job) {
  COLLTREE_TRY(algorithms::private_communicator(MPI_COMM_WORLD, &new_job.world));
  COLLTREE_TRY(new_job.nodes.find(new_job.world));
  if (new_job.settings.record != nullptr) {
    new_job.recorder.reset(new (std::nothrow) Recorder);
    if (new_job.recorder == nullptr) return MPI_ERR_NO_MEM;
    COLLTREE_TRY(new_job.recorder->open(new_job.settings.record.get(), new_job.world));
    // A rank that is lost would be waited for.
    new_job.settings.sample = new_job.settings.sample && !is_fault_tolerant();
  }
  COLLTREE_TRY(begin_legality());
  COLLTREE_TRY(begin_communicators(&new_job.nodes, new_job.world));
  return ask_for_the_end();
}

}  // namespace

void begin_job() noexcept {
  job_was_begun = true;
  note_entry();
  const Environment environment = read_environment();
  if (!environment.asks() || job != nullptr || say_misfit() || is_spawned()) return;
  auto new_job = std::unique_ptr<Job>(new (std::nothrow) Job);
  // A rank that fails here would leave the others waiting; MPI itself would hardly go on.
  if (new_job == nullptr || agree_on_settings(environment, &new_job->settings) != MPI_SUCCESS)
    return;
  if (!new_job->settings.asks()) return;
  new_job->chooser.open(new_job->settings, "", nullptr);
  if (open(*new_job) == MPI_SUCCESS) job = new_job.release();
}

bool begin_job_late(MPI_Comm comm) noexcept {
  int is_initialized = 0;
  int is_finalized = 0;
  int level = MPI_THREAD_MULTIPLE;
  // Other threads might be in a collective already, and would find the job at other calls than
  // those of other ranks.
  if (!fits_loaded_library() || comm != MPI_COMM_WORLD ||
      PMPI_Initialized(&is_initialized) != MPI_SUCCESS || is_initialized == 0 ||
      PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0 ||
      PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE)
    return false;
  begin_job();
  return job != nullptr;
}

void end_job() noexcept {
  if (job == nullptr) return;
  const std::unique_ptr<Job> ending(job);
  job = nullptr;
  if (ending->recorder != nullptr) {
    Communicator* const all_ranks = communicator_of(MPI_COMM_WORLD);
    if (all_ranks != nullptr) bring_together(*all_ranks, *ending->recorder);
    if (const char* wrong = write_record(*ending->recorder, ending->chooser, ending->world))
      say("%.4000s: %s; the record is lost", ending->recorder->path(), wrong);
  }
  end_legality();
  end_communicators();
  algorithms::release_private_communicator(MPI_COMM_WORLD);
}

// exit() without MPI_Finalize, or an error handler that ends the program.
[[gnu::destructor]] void leave_record() {
  if (job != nullptr && job->recorder != nullptr && job->recorder->is_first_process())
    write_own_record(*job->recorder, job->chooser, "exited");
}

void abort_job() noexcept {
  if (job == nullptr || job->recorder == nullptr) return;
  write_own_record(*job->recorder, job->chooser, "aborted");
  job->recorder->close();
}

}  // namespace colltree::runtime
