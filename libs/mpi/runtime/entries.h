// SPDX-License-Identifier: BSD-3-Clause
// Processes report to `colltree run` on their machine by lines in the file that COLLTREE_ENTRIES
// names: a process was loaded with this library, its MPI_Init passed here, or it ended without
// that. A process on another machine finds no such file.
#pragma once

namespace colltree::runtime {

void note_entry() noexcept;  // MPI_Init has passed here

}  // namespace colltree::runtime
