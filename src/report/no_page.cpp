// SPDX-License-Identifier: BSD-3-Clause
// In place of the page that web/report/build.mjs writes, with COLLTREE_REPORT=OFF.
#include "report/page.h"

namespace colltree {

std::string_view report_template() { return {}; }

}  // namespace colltree
