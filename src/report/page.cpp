// SPDX-License-Identifier: BSD-3-Clause
#include "report/page.h"

#include "base/error.h"
#include "base/json.h"
#include "report/report.h"

namespace colltree {

namespace {

// Nothing in the data can end the element that holds it: "<" stands in JSON only inside strings.
std::string harmless(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string report_page(const Json& data) {
  const std::string_view page = report_template();
  const std::size_t marker = page.find(kDataMarker);
  if (marker == std::string_view::npos) {
    throw Error("this colltree was built without its report page (COLLTREE_REPORT=OFF)");
  }
  std::string html(page.substr(0, marker));
  html += harmless(data.dump());
  html += page.substr(marker + kDataMarker.size());
  return html;
}

}  // namespace colltree
