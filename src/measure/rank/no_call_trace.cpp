// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/call_trace.h"

namespace colltree {

void start_trace() {}
CallTrace stop_trace() { return {}; }

}  // namespace colltree
