// SPDX-License-Identifier: BSD-3-Clause
// How long one decision takes (2007, 4.5): the mean over random instances, communicator sizes 2..64
// and message sizes 1 B..16 MB, the same for every way to decide.
#pragma once

#include <functional>
#include <string>

#include "coll/method.h"

namespace colltree::deploy {

// ns per decision of a compact decision file's content (include/colltree/decision.h).
double decision_file_ns(const std::string& cdt, Collective collective);

// ns per decision of anything that chooses; fewer instances, because references take microseconds.
double chooser_ns(const std::function<Method(const Instance&)>& choose, Collective collective);

}  // namespace colltree::deploy
