// SPDX-License-Identifier: BSD-3-Clause
// Which functions of MPICH stood on the stack whenever a message was handed to UCX: the program
// defines UCX's send and receive functions itself, looks at the stack and goes on. The functions
// have no names outside the library; their addresses tell two algorithms apart.
#pragma once

#include <set>

namespace colltree {

using CallTrace = std::set<const void*>;  // where functions begin

// The mpich flavour only; elsewhere nothing is traced.
void start_trace();
CallTrace stop_trace();

}  // namespace colltree
