// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace colltree {

// MPICH: whether ranks give their core away while they wait; on until it is said otherwise.
void yield_while_waiting(bool on);

}  // namespace colltree
