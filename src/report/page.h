// SPDX-License-Identifier: BSD-3-Clause
// The HTML page of a report: headings, words, tables and pictures are written here, so that the
// page says all it has to say without a script. web/report/page.js adds what moves: which
// collective and model is shown, and the figures of the instance under the pointer, which it takes
// from the data block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chooser_data.h"
#include "report/choosers.h"

namespace colltree::report {

// One collective as the page shows it.
struct PageCollective {
  const Timings& timings;
  const std::vector<ReportChooser>& choosers;
  const MethodIndex& methods;
  const Json& data;  // as in "collectives" of the report's data
};

// The chooser that the page opens with: the model to deploy, else the optimal trees, else the last.
const ReportChooser& shown_first(const std::vector<ReportChooser>& choosers);

// What the page calls it: "model to deploy", "library default".
std::string label_of(const ReportChooser& chooser, const Json& collective);

// The parts of a collective's section that are words: what is gained; the table of all choosers;
// the commands that deploy. And of the whole page: how to make all this again.
std::string gain_html(const PageCollective& page, const std::string& provenance);
std::string comparison_html(const PageCollective& page);
std::string deploy_html(const PageCollective& page, const ReportInput& input);
std::string origin_html(const ReportInput& input);

// Text of files, names among it, as HTML; lines stay lines.
std::string html(std::string_view text);
// "12.3 %"; a dash for null.
std::string percent_html(const Json& fraction);

std::string collective_html(const PageCollective& page, const ReportInput& input);

// The file. `sections`: one of each collective.
std::string page_html(const ReportInput& input, const Json& data, const std::string& sections);

// web/report/page.css and page.js as they lie there.
std::string_view page_style();
std::string_view page_script();

}  // namespace colltree::report
