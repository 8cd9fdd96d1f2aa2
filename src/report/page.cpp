// SPDX-License-Identifier: BSD-3-Clause
// The page's structure, and its pictures: those of `colltree plot`, in the page's colours.
#include "report/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "report/curves.h"
#include "report/method_maps.h"
#include "report/terminal.h"
#include "report/tree_figure.h"
#include "timings/instance_grid.h"

namespace colltree::report {

namespace {

using Draw = std::function<std::string(Background)>;

std::string picture(const std::string& name, const Draw& draw) {
  return inline_svg(draw(Background::kLight), draw(Background::kDark), name);
}

// A figure with the words above it, and what the script knows it by.
std::string figure(const std::string& attributes, const std::string& caption,
                   const std::string& content) {
  return fmt::format("<figure class=\"card\" {}><figcaption>{}</figcaption>\n{}</figure>\n",
                     attributes, caption, content);
}

std::string option(const std::string& value, const std::string& text, bool selected) {
  return fmt::format("<option value=\"{}\"{}>{}</option>", html(value), selected ? " selected" : "",
                     html(text));
}

std::string select(const char* name, const char* label, const std::string& options) {
  return fmt::format(
      "<label class=\"field\"><span>{}</span><select name=\"{}\">{}</select></label>\n", label,
      name, options);
}

std::string light_dark(Colour light, Colour dark) {
  return fmt::format("light-dark({},{})", hex(light), hex(dark));
}

// What one map shows: the instances of one placement on the grid of their sizes.
struct Placement {
  std::string name;
  std::vector<std::size_t> instances;
  InstanceGrid grid;
};

Placement on_grid(const Timings& timings, std::string name, std::vector<std::size_t> instances) {
  InstanceGrid grid;
  for (const Attribute attribute : {Attribute::kCommunicatorSize, Attribute::kMessageSize}) {
    std::set<std::uint64_t> sizes;
    for (const std::size_t i : instances)
      sizes.insert(attribute_value(attribute, timings.instances[i]));
    grid.axes.push_back(make_axis(attribute, {sizes.begin(), sizes.end()}));
  }
  grid.instance.resize(grid.axes[0].size() * grid.axes[1].size());
  for (const std::size_t i : instances) grid.instance[grid.cell_of(timings.instances[i])] = i;
  return {std::move(name), std::move(instances), std::move(grid)};
}

// Several only where some point was measured with several numbers of ranks on a node.
std::vector<Placement> placements(const Timings& timings) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> points;
  std::map<std::uint64_t, std::vector<std::size_t>> by_placement;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& at = timings.instances[i];
    points.emplace(at.communicator_size, at.message_size);
    by_placement[at.ranks_per_node].push_back(i);
    all.push_back(i);
  }
  std::vector<Placement> result;
  if (points.size() == all.size()) return {on_grid(timings, "all", std::move(all))};
  for (auto& [ranks, instances] : by_placement) {
    result.push_back(
        on_grid(timings,
                ranks == 0 ? "placement not known"
                           : fmt::format("{} {} per node", ranks, ranks == 1 ? "rank" : "ranks"),
                std::move(instances)));
  }
  return result;
}

using Key = std::vector<LegendEntry>;

Key method_key(const MethodIndex& methods, Background background) {
  const Palette palette(methods.shown(), background);
  Key key;
  for (std::size_t m = 0; m < methods.methods().size(); ++m) {
    const Method& method = methods.methods()[m];
    key.push_back(
        {method.label(), methods.is_shown(m) ? palette.of(method) : faint_colour(background)});
  }
  return key;
}

// In the order of penalty_entry.
Key penalty_key(Background background) {
  Key key;
  for (const PenaltyStep& step : penalty_steps(background)) key.push_back({step.text, step.colour});
  key.push_back({"cannot run", kCannotRunColour});
  return key;
}

// `entry_of`: which of the key an instance is; none: not known.
using EntryOf = std::function<std::optional<std::size_t>(std::size_t instance)>;

MapFigure map_figure(const Placement& placement, Key key, const EntryOf& entry_of,
                     Background background) {
  const std::size_t nothing = key.size();
  key.push_back({"not measured", faint_colour(background)});
  MapPanel panel{.title = {},
                 .subtitle = {},
                 .communicator_sizes = placement.grid.communicator_sizes(),
                 .message_sizes = placement.grid.message_sizes(),
                 .cells = {},
                 .dotted = {}};
  for (const std::optional<std::size_t>& instance : placement.grid.instance) {
    const auto entry = instance ? entry_of(*instance) : std::nullopt;
    panel.cells.push_back(static_cast<std::uint16_t>(entry.value_or(nothing)));
  }
  return {.title = {},
          .panels = {std::move(panel)},
          .key = std::move(key),
          .more = {},
          .style = {.width = 350, .height = 235, .titles = false},
          .has_legend = false};
}

// What runs there where the entry is asked.
EntryOf methods_of(const Json& entry) {
  return [&entry](std::size_t i) -> std::optional<std::size_t> {
    const Json* methods = entry.find("method");
    if (methods == nullptr) return std::nullopt;
    return entry["runs"].value(std::to_string(i), (*methods)[i].get<std::size_t>());
  };
}

EntryOf penalties_of(const Json& entry, bool is_default) {
  return [&entry, is_default](std::size_t i) -> std::optional<std::size_t> {
    const Json& penalty = entry["penalty"][i];
    if (!penalty.is_null()) return penalty_entry(penalty.get<double>());
    if (is_default) return std::nullopt;
    return penalty_entry(std::numeric_limits<double>::infinity());
  };
}

std::string legend(const char* what, const Key& light, const Key& dark,
                   const std::vector<std::size_t>& order) {
  std::string items;
  for (const std::size_t k : order) {
    items += fmt::format("<li data-entry=\"{}\" style=\"--c:{}\">{}</li>", k,
                         light_dark(light[k].colour, dark[k].colour), html(light[k].text));
  }
  return fmt::format("<ul class=\"legend {}\" aria-label=\"Legend\">{}</ul>\n", what, items);
}

std::vector<std::size_t> methods_in_order(const PageCollective& page) {
  return page.data["legend"].get<std::vector<std::size_t>>();
}

std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(svg_number(value));
  return join(texts, " ");
}

std::string cells_text(const Placement& placement) {
  std::vector<std::string> texts;
  for (const auto& cell : placement.grid.instance)
    texts.push_back(cell ? std::to_string(*cell) : "");
  return join(texts, ",");
}

const Json& entry_of(const PageCollective& page, const ReportChooser& chooser) {
  const auto at = static_cast<std::size_t>(&chooser - page.choosers.data());
  return page.data["choosers"][at]["entries"][chooser.start];
}

const ReportChooser* find(const PageCollective& page, std::string_view id) {
  const auto found = std::ranges::find(page.choosers, id, &ReportChooser::id);
  return found == page.choosers.end() ? nullptr : &*found;
}

// 1 where the best time was not measured but predicted; none: every one was measured.
std::vector<std::uint8_t> predicted_cells(const PageCollective& page, const Placement& placement) {
  if (!page.data.contains("predicted")) return {};
  std::vector<std::uint8_t> cells;
  for (const std::optional<std::size_t>& instance : placement.grid.instance) {
    const auto best = instance ? page.timings.best_at(*instance) : std::nullopt;
    cells.push_back(best && page.timings.at(*instance, *best).is_predicted() ? 1 : 0);
  }
  return cells;
}

// The four maps of one placement: what the chosen model runs and what is best, and what the model
// and the library's choice (or the best fixed method) lose.
std::string maps_of(const PageCollective& page, const Placement& placement) {
  const ReportChooser& chosen = shown_first(page.choosers);
  const ReportChooser* other = find(page, "default");
  if (other == nullptr) other = find(page, "fixed");
  const auto map = [&](const char* what, const std::string& caption, bool penalty,
                       const EntryOf& entries, const std::vector<std::uint8_t>& dotted = {}) {
    const auto figure_on = [&](Background background) {
      MapFigure figure = map_figure(
          placement, penalty ? penalty_key(background) : method_key(page.methods, background),
          entries, background);
      figure.panels[0].dotted = dotted;
      return figure;
    };
    const std::string svg = picture(
        caption, [&](Background background) { return draw(figure_on(background), background); });
    return figure(fmt::format("data-map=\"{}\"", what), caption,
                  fmt::format("<div class=\"map\" tabindex=\"0\" role=\"group\" aria-label=\"{}. "
                              "Arrow keys move over "
                              "the instances, Enter pins one.\">{}</div>\n",
                              caption, svg));
  };
  const std::string label = html(label_of(chosen, page.data));
  const std::vector<std::uint8_t> predicted = predicted_cells(page, placement);
  std::string maps =
      map("chosen", "What the " + label + " asks for", false, methods_of(entry_of(page, chosen))) +
      map("best",
          predicted.empty() ? "Best measured method" : "Best known method (dotted: predicted)",
          false, methods_of(entry_of(page, *find(page, "best"))), predicted) +
      map("penalty", "Penalty of the " + label, true, penalties_of(entry_of(page, chosen), false));
  if (other != nullptr) {
    maps += map("other",
                (other->id == "default" ? "Penalty of the " : "Penalty of ") +
                    html(label_of(*other, page.data)),
                true, penalties_of(entry_of(page, *other), other->id == "default"));
  }
  const auto borders = cell_borders(map_figure(
      placement, penalty_key(Background::kLight), [](std::size_t) { return 0; },
      Background::kLight));
  return fmt::format(
      "<div class=\"maps\" data-cells=\"{}\" data-x=\"{}\" data-y=\"{}\">\n{}</div>\n",
      cells_text(placement), numbers(borders.x), numbers(borders.y), maps);
}

// What chooses by known methods, and is not what is best everywhere.
std::string controls(const PageCollective& page, const std::vector<Placement>& placements) {
  std::string fields;
  if (placements.size() > 1) {
    std::string options;
    for (std::size_t p = 0; p < placements.size(); ++p)
      options += option(std::to_string(p), placements[p].name, p == 0);
    fields += select("placement", "Placement", options);
  }
  std::string options;
  for (const ReportChooser& chooser : page.choosers) {
    if (chooser.id == "best" || !chooser.entries.front().choose) continue;
    options +=
        option(chooser.id, label_of(chooser, page.data), &chooser == &shown_first(page.choosers));
  }
  fields += select("chooser", "Model", options);
  fields +=
      "<label class=\"field slider\" hidden><span>Leaves</span><input type=\"range\" "
      "name=\"entry\" min=\"0\">"
      "<output></output></label>\n<p class=\"readout\" role=\"status\"></p>\n";
  return fmt::format("<form class=\"controls\" aria-label=\"What is shown\">\n{}</form>\n", fields);
}

std::string maps(const PageCollective& page) {
  const std::vector<Placement> all = placements(page.timings);
  std::string text = controls(page, all) + "<div class=\"explore\">\n<div>\n";
  for (const Placement& placement : all) text += maps_of(page, placement);
  const Key light = penalty_key(Background::kLight);
  std::vector<std::size_t> steps;
  for (std::size_t k = 0; k < light.size(); ++k) steps.push_back(k);
  text += legend("methods", method_key(page.methods, Background::kLight),
                 method_key(page.methods, Background::kDark), methods_in_order(page)) +
          legend("penalties", light, penalty_key(Background::kDark), steps);
  return text +
         "</div>\n<aside class=\"card cell\" aria-label=\"The instance under the "
         "pointer\"></aside>\n</div>\n";
}

double mean_of(const ReportEntry& entry) { return summarize(entry.points).mean; }

std::string frontier(const PageCollective& page) {
  std::vector<LeavesCurve> curves;
  double most = 1;
  for (const ReportChooser& chooser : page.choosers) {
    LeavesCurve curve{.name = label_of(chooser, page.data),
                      .points = {},
                      .bound = {},
                      .frontier = chooser.entries.size() > 1};
    for (const ReportEntry& entry : chooser.entries) {
      if (!entry.leaves || chooser.id == "default") continue;
      curve.points.push_back({static_cast<double>(*entry.leaves), mean_of(entry)});
      most = std::max(most, curve.points.back().x);
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  for (const char* id : {"default", "fixed"}) {  // of no number of leaves
    if (const ReportChooser* chooser = find(page, id)) {
      const double mean = mean_of(chooser->entries.front());
      curves.push_back({.name = label_of(*chooser, page.data),
                        .points = {{1, mean}, {most, mean}},
                        .bound = {}});
    }
  }
  return picture("Mean penalty against leaves", [&](Background background) {
    return draw(leaves_figure("", "mean performance penalty", curves, background), background);
  });
}

// The greatest number of pictures, one a communicator size, taken evenly: one picture can be as
// large as the data of all.
constexpr std::size_t kMostTimes = 6;

std::string times(const PageCollective& page) {
  std::string options;
  std::string figures;
  for (const Placement& placement : placements(page.timings)) {
    const Timings timings = select_instances(page.timings, placement.instances);
    const std::size_t all = placement.grid.communicator_sizes().size();
    const std::size_t shown = std::min(all, kMostTimes);
    for (std::size_t k = 0; k < shown; ++k) {
      const std::uint64_t ranks =
          placement.grid.communicator_sizes()[shown == 1 ? 0 : k * (all - 1) / (shown - 1)];
      const std::string title =
          fmt::format("{} ranks{}", ranks, placement.name == "all" ? "" : ", " + placement.name);
      options += option(title, title, k + 1 == shown);
      figures += figure(fmt::format("data-times=\"{}\"", title), "Times on " + title,
                        picture("Times on " + title, [&](Background background) {
                          return draw(times_figure("", timings, ranks, background), background);
                        }));
    }
  }
  return fmt::format("<form class=\"controls\">{}</form>\n{}",
                     select("times", "Communicator of", options), figures);
}

// The collective's part of a model, in the colours of the maps.
std::string tree(const PageCollective& page, const ReportChooser& chooser) {
  constexpr std::uint64_t kMostLeaves = 100;  // of a picture in the page
  model::RuleTree rules = chooser.entries[chooser.start].tree->rules;
  rules.roots = {{page.timings.collective, model::root_of(rules, page.timings.collective)}};
  const std::string text = terminal_tree(rules, {});
  const std::vector<Method> shown = page.methods.shown();
  rules.methods.insert(rules.methods.end(), shown.begin(), shown.end());
  std::string svg;
  if (model::total_shape(rules).leaves <= kMostLeaves) {
    svg = fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The tree as a "
        "picture\">{}</div>\n",
        picture("The tree",
                [&](Background background) { return draw_tree(rules, "", background); }));
  }
  return figure(
      fmt::format("data-tree=\"{}\"", html(chooser.id)), html(label_of(chooser, page.data)),
      fmt::format(
          "{}<details><summary>The tree as text</summary><pre tabindex=\"0\">{}</pre></details>\n",
          svg, html(text)));
}

std::string trees(const PageCollective& page) {
  std::string figures;
  for (const ReportChooser& chooser : page.choosers) {
    if (chooser.entries[chooser.start].tree) figures += tree(page, chooser);
  }
  return figures;
}

std::string card(const std::string& text, const char* label) {
  return fmt::format("<div class=\"card\"><pre tabindex=\"0\" aria-label=\"{}\">{}</pre></div>\n",
                     label, html(text));
}

// Nothing in the data can end the element that holds it: "<" stands in JSON only inside strings.
std::string harmless(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

}  // namespace

std::string collective_html(const PageCollective& page, const ReportInput& input) {
  const std::string collective(name(page.timings.collective));
  return fmt::format("<section class=\"collective\" id=\"{0}\">\n<h2>{0}: what to deploy</h2>\n{1}",
                     collective, gain_html(page, input.overview.system.provenance)) +
         "<h2>Decision maps</h2>\n" + maps(page) +
         "<h2>Leaves and penalty</h2>\n<div class=\"columns uneven\">\n" +
         figure("", "Mean penalty against leaves", frontier(page)) + comparison_html(page) +
         "</div>\n<h2>Times against message size</h2>\n<div class=\"times\">\n" + times(page) +
         "</div>\n<h2>Trees</h2>\n" + trees(page) + deploy_html(page, input) + "</section>\n";
}

std::string page_html(const ReportInput& input, const Json& data, const std::string& sections) {
  const profile::SystemInfo& system = input.overview.system;
  std::vector<std::string> facts = {system.provenance, system.mpi,
                                    system.noise.empty() ? "" : "noise " + system.noise};
  std::erase(facts, "");
  std::string options;
  for (const Timings& timings : input.timings) {
    const std::string collective(name(timings.collective));
    options += option(collective, collective, data["opens_on"] == collective);
  }
  const std::string choice =
      input.timings.size() > 1
          ? "<form class=\"controls\">" + select("collective", "Collective", options) + "</form>\n"
          : "";
  const std::string verdict = input.verdict.empty() ? "" : card(input.verdict, "Verdict of tune");
  const std::string sources =
      input.source_gains
          ? "<h2>Portable or rules</h2>\n" +
                card(evaluate::source_gains_text(*input.source_gains), "Portable or rules")
          : "";
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{0}: colltree report</title>
<style>{1}</style>
</head>
<body>
<header class="page"><div><p class="brand">colltree report</p><h1>{0}</h1><p class="facts">{2}</p></div><button type="button" id="theme">Light / dark</button></header>
<main class="page">
{11}{3}{4}{5}<section>
<h2>The data</h2>
{6}<h2>Commands</h2>
{7}</section>
</main>
<footer class="page">colltree {8}</footer>
<script type="application/json" id="report-data">{9}</script>
<script>{10}</script>
</body>
</html>
)",
      html(system.name), page_style(), html(join(facts, " · ")), choice, sections, sources,
      card(profile::overview_text(input.overview), "What the profile holds"), origin_html(input),
      COLLTREE_VERSION, harmless(data.dump()), page_script(), verdict);
}

}  // namespace colltree::report
