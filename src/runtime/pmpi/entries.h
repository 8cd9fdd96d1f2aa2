// SPDX-License-Identifier: BSD-3-Clause
// What `colltree run` learns of the processes on its own machine, by lines in the file that
// COLLTREE_ENTRIES names: that one was loaded with this library, that its MPI_Init passed here, and
// that it ended without. A process on another machine finds no such file.
#pragma once

namespace colltree::runtime {

void note_entry() noexcept;  // MPI_Init has passed here

}  // namespace colltree::runtime
