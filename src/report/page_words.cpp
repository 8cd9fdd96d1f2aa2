// SPDX-License-Identifier: BSD-3-Clause
// What the page says in words and tables. Every figure comes from the data block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "emit/emitter.h"
#include "evaluate/comparison.h"
#include "report/command_lines.h"
#include "report/page.h"
#include "report/svg.h"
#include "rules/rule_target.h"

namespace colltree::report {

namespace {

std::string strong(const std::string& text) { return fmt::format("<strong>{}</strong>", text); }
std::string paragraph(const std::string& text) { return fmt::format("<p>{}</p>\n", text); }

std::string signed_percent(const Json& fraction) {
  return (fraction.get<double>() > 0 ? "+" : "") + percent_html(fraction);
}

std::string interval(const Json& pair) {
  return fmt::format("{} to {}", evaluate::percent_text(pair[0].get<double>()),
                     percent_html(pair[1]));
}

// Of a mean; few instances have none.
std::string mean_interval(const Json& figures, const char* otherwise) {
  const Json* pair = figures.find("mean_interval");
  return pair == nullptr || pair->is_null() ? otherwise : interval(*pair);
}

std::string count(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string sizes(const Json& range, bool bytes) {
  const auto text = [&](std::uint64_t size) {
    return bytes && size != 0 ? format_bytes(size) : fmt::to_string(size);
  };
  const auto [first, last] =
      std::pair(range[0].get<std::uint64_t>(), range[1].get<std::uint64_t>());
  return first == last ? text(first) : fmt::format("{} to {}", text(first), text(last));
}

// The chooser of this name in the data, null where there is none.
const Json* chooser_of(const Json& collective, std::string_view id) {
  for (const Json& chooser : collective["choosers"]) {
    if (chooser["id"] == id) return &chooser;
  }
  return nullptr;
}

const Json& first_entry(const Json& chooser) {
  return chooser["entries"][chooser["start"].get<std::size_t>()];
}

const Json& figures_of(const Json& chooser) { return first_entry(chooser)["performance_penalty"]; }

struct Shown {
  const Json& chooser;
  const Json& entry;
  const Json& figures;
  std::string name;  // "optimal tree of 7 leaves"
  bool is_given;
};

Shown shown_of(const PageCollective& page) {
  const ReportChooser& first = shown_first(page.choosers);
  const Json& chooser = *chooser_of(page.data, first.id);
  const Json& entry = first_entry(chooser);
  std::string name = html(label_of(first, page.data));
  if (first.id == "optimal") name += fmt::format(" of {} leaves", entry["leaves"].get<int>());
  return {chooser, entry, entry["performance_penalty"], std::move(name), first.is_given};
}

std::string tiles(const PageCollective& page, const Shown& shown) {
  std::string text;
  const auto add = [&](const std::string& value, const std::string& meaning) {
    text += fmt::format("<div><p class=\"value\">{}</p><p>{}</p></div>\n", value, meaning);
  };
  if (!shown.figures["versus_default"].is_null()) {
    add(signed_percent(shown.figures["versus_default"]),
        "time against the library default (geometric mean)");
  }
  add(percent_html(shown.figures["mean"]), "mean penalty of the model");
  if (const Json* library = chooser_of(page.data, "default"))
    add(percent_html(figures_of(*library)["mean"]), "mean penalty of the library default");
  add(percent_html(shown.figures["max"]), "penalty at the worst instance");
  if (!shown.entry["leaves"].is_null()) {
    add(fmt::to_string(shown.entry["leaves"].get<int>()),
        "leaves, for " + count(page.timings.instances.size(), "instance"));
  }
  return fmt::format("<div class=\"tiles\">\n{}</div>\n", text);
}

std::string versus_default(const Shown& shown) {
  const Json& gain = shown.figures["versus_default"];
  if (gain.is_null())
    return paragraph("The library’s own choice was not measured, so nothing can be said about it.");
  const double fraction = gain.get<double>();
  const std::string change = std::fabs(fraction) < 0.005
                                 ? "the same time"
                                 : fmt::format("{} {} time", percent_html(std::fabs(fraction)),
                                               fraction < 0 ? "less" : "more");
  const Json& known = shown.entry["versus_default_interval"];
  return paragraph(fmt::format(
      "Against the library default the {} takes {}{}.", shown.name, strong(change),
      known.is_null() ? ""
                      : fmt::format(" (95 % interval {} to {})", signed_percent(known[0]),
                                    signed_percent(known[1]))));
}

// What to deploy, what it gains and how sure that is, above all else.
std::string answer(const PageCollective& page, const Shown& shown, const std::string& provenance) {
  const Json& held = shown.chooser["held_out"];
  const Json held_out = held.is_null() ? Json() : held["performance_penalty"]["mean"];
  const Json& leaves = shown.entry["leaves"];
  const std::string tree =
      leaves.is_null() ? "the " + shown.name
      : shown.is_given ? fmt::format("{}, a tree of {} leaves", shown.name, leaves.get<int>())
                       : fmt::format("the tree of {} leaves", leaves.get<int>());
  const Json* library = chooser_of(page.data, "default");
  const bool harms = library != nullptr && !held_out.is_null() &&
                     held_out.get<double>() >= figures_of(*library)["mean"].get<double>();
  const bool simulated = provenance == profile::kProvenanceSimulated;
  const std::string advice = simulated ? "Not for deployment: these times are simulated."
                             : harms   ? "Keep the library’s own choice."
                                       : "Deploy " + tree + ".";
  std::string text = strong(advice) + (simulated || harms ? " The mean penalty of " + tree + " is "
                                                          : " Its mean penalty is ");
  text += percent_html(shown.figures["mean"]) + " on the instances that it was fitted to";
  text += held_out.is_null() ? "; none was held out."
                             : fmt::format(" and {} on held-out ones.", percent_html(held_out));
  if (library != nullptr)
    text += fmt::format(" That of the library default is {}.",
                        percent_html(figures_of(*library)["mean"]));
  std::string said;
  for (const Json& one : shown.chooser["statements"])
    said += fmt::format("{}{}", said.empty() ? " It says: " : "; ", html(one.text()));
  if (!said.empty()) text += said + ".";
  return paragraph(text) + versus_default(shown) +
         paragraph(
             "Penalty: (time of the choice − time of the best method) / time of the best method, "
             "at one instance (communicator size and message size).");
}

std::string measured(const PageCollective& page) {
  const Timings& timings = page.timings;
  const auto [few, many] = std::ranges::minmax(timings.instances, {}, &Instance::communicator_size);
  const auto [small, large] = std::ranges::minmax(timings.instances, {}, &Instance::message_size);
  const std::string where =
      fmt::format("{}: {} ranks, messages of {}, {}.", count(timings.instances.size(), "instance"),
                  sizes({few.communicator_size, many.communicator_size}, false),
                  sizes({small.message_size, large.message_size}, true),
                  count(timings.methods.size(), "method"));
  const TimeCounts counts = counts_of(timings);
  if (counts.predicted == 0)
    return paragraph(fmt::format("{} was timed at {}", name(timings.collective), where));
  std::size_t best = 0;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const auto method = timings.best_at(i);
    if (method && timings.at(i, *method).is_predicted()) ++best;
  }
  return paragraph(fmt::format(
      "{} is known at {} {} At {} of {} the best time was not measured but predicted.",
      name(timings.collective), where,
      strong(fmt::format("{} {} measured, {} predicted from them.", count(counts.measured, "time"),
                         counts.measured == 1 ? "was" : "were", count(counts.predicted, "time"))),
      best, count(timings.instances.size(), "instance")));
}

std::string versus_fixed(const PageCollective& page, const Shown& shown) {
  const Json* fixed = chooser_of(page.data, "fixed");
  if (fixed == nullptr || fixed == &shown.chooser) return "";
  const Json& one = figures_of(*fixed);
  const auto cannot_run = first_entry(*fixed)["cannot_run"].get<std::size_t>();
  return paragraph(
      fmt::format("The best single method, {}, loses {} on average ({}){}; the {} loses {} ({}).",
                  html((*fixed)["detail"].text()), strong(percent_html(one["mean"])),
                  mean_interval(one, "interval not known"),
                  cannot_run == 0 ? "" : " and cannot run at " + count(cannot_run, "instance"),
                  shown.name, strong(percent_html(shown.figures["mean"])),
                  mean_interval(shown.figures, "interval not known")));
}

std::string where(const PageCollective& page, const Shown& shown) {
  std::vector<std::pair<double, std::size_t>> gains;
  for (std::size_t k = 0; k < shown.entry["regions"].size(); ++k) {
    const Json& gain = shown.entry["regions"][k][2];
    if (!gain.is_null()) gains.emplace_back(gain.get<double>(), k);
  }
  if (gains.size() < 2) return "";
  std::ranges::sort(gains);
  const auto place = [&](std::size_t k) {
    const Json& region = page.data["regions"][k];
    return fmt::format("messages of {} on {} ranks", sizes(region["message_sizes"], true),
                       sizes(region["communicator_sizes"], false));
  };
  return paragraph(fmt::format("Most is gained for {} ({} time), least for {} ({}).",
                               strong(place(gains.front().second)),
                               signed_percent(gains.front().first), place(gains.back().second),
                               signed_percent(gains.back().first)));
}

std::string noise(const PageCollective& page, const std::string& provenance) {
  const Json& rivals = page.data["rivals"];
  if (!rivals.is_null()) {
    std::size_t clear = 0;
    for (const Json& number : rivals) clear += number == 0 ? 1 : 0;
    return fmt::format(
        "At {} of the instances the best method is beyond doubt: no other one’s interval meets its "
        "own. ",
        percent_html(static_cast<double>(clear) / static_cast<double>(rivals.size())));
  }
  return provenance == profile::kProvenanceSimulated
             ? "Simulated times repeat exactly: there is no noise in them. "
             : "Each time is a single sample, so its noise is not known; measure more to be sure "
               "of "
               "small differences. ";
}

std::string certainty(const PageCollective& page, const Shown& shown,
                      const std::string& provenance) {
  std::string text;
  const Json& held = shown.chooser["held_out"];
  if (!held.is_null()) {
    const Json& figures = held["performance_penalty"];
    text += fmt::format("On held-out communicator sizes ({} folds) it loses {} ({}). ",
                        held["folds"].get<int>(), percent_html(figures["mean"]),
                        mean_interval(figures, "interval not known"));
  }
  text += noise(page, provenance);
  return paragraph(fmt::format(
      "{}The interval of a time holds the median with 95 % confidence; that of a mean is a "
      "bootstrap interval over the instances{}.",
      text,
      page.data.contains("predicted") ? ", with what the predicted times may be off by" : ""));
}

// The regions of the grid with the gain of the model, or its penalty where no default is known.
std::string region_table(const PageCollective& page, const Shown& shown) {
  const bool gain = !shown.figures["versus_default"].is_null();
  std::string titles = "<td></td>";
  std::map<std::uint64_t, std::string, std::greater<>> rows;  // large communicators above
  for (std::size_t k = 0; k < page.data["regions"].size(); ++k) {
    const Json& region = page.data["regions"][k];
    const auto ranks = region["communicator_sizes"][0].get<std::uint64_t>();
    const auto [row, is_new] = rows.try_emplace(
        ranks,
        fmt::format("<th scope=\"row\">{} ranks</th>", sizes(region["communicator_sizes"], false)));
    if (rows.size() == 1)
      titles += fmt::format("<th scope=\"col\">{}</th>", sizes(region["message_sizes"], true));
    const Json& value = shown.entry["regions"][k][gain ? 2 : 1];
    if (value.is_null()) {
      row->second += "<td>–</td>";
      continue;
    }
    const double strength = std::min(std::fabs(value.get<double>()) / (gain ? 0.8 : 0.2), 1.0);
    row->second += fmt::format(
        "<td style=\"background:color-mix(in srgb,var({}) {:.0f}%,transparent)\">{}</td>",
        gain && value.get<double>() < 0 ? "--good" : "--bad", 42 * strength,
        gain ? signed_percent(value) : percent_html(value));
  }
  std::string body;
  for (const auto& [ranks, row] : rows) body += fmt::format("<tr>{}</tr>\n", row);
  return fmt::format(
      "<table "
      "class=\"regions\"><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>{}</tbody></"
      "table>\n",
      gain ? "Time against the library default, by region" : "Mean penalty by region", titles,
      body);
}

// A column of the table of choosers. Some only where a chooser has something to say there.
struct Column {
  const char* title;
  std::string (*text)(const Json& chooser);
  bool (*is_needed)(const Json& chooser) = nullptr;
};

template <const char* kField>
std::string percent_of(const Json& chooser) {
  return percent_html(figures_of(chooser)[kField]);
}
constexpr char kMean[] = "mean";
constexpr char kMedian[] = "median";
constexpr char kP95[] = "p95";
constexpr char kMax[] = "max";
constexpr char kAbove5[] = "share_above_5";
constexpr char kAbove50[] = "share_above_50";
constexpr char kCharged[] = "charged_mean";

std::string dash_or(const Json& value, std::string (*text)(const Json&)) {
  return value.is_null() ? "–" : text(value);
}

bool cannot_run(const Json& chooser) { return first_entry(chooser)["cannot_run"] != 0; }
std::string held_out(const Json& chooser) {
  const Json& held = chooser["held_out"];
  return held.is_null() ? "–" : percent_html(held["performance_penalty"]["mean"]);
}

const Column kColumns[] = {
    {"leaves",
     [](const Json& chooser) {
       return dash_or(first_entry(chooser)["leaves"],
                      [](const Json& leaves) { return leaves.dump(); });
     }},
    {"mean", percent_of<kMean>},
    {"95 %", [](const Json& chooser) { return mean_interval(figures_of(chooser), "–"); }},
    {"held out", held_out, [](const Json& chooser) { return held_out(chooser) != "–"; }},
    {"median", percent_of<kMedian>},
    {"p95", percent_of<kP95>},
    {"max", percent_of<kMax>},
    {"> 5 %", percent_of<kAbove5>},
    {"> 50 %", percent_of<kAbove50>},
    {"predicted",
     [](const Json& chooser) { return fmt::to_string(figures_of(chooser).value("predicted", 0)); },
     [](const Json& chooser) { return figures_of(chooser).contains("predicted"); }},
    {"no run", [](const Json& chooser) { return first_entry(chooser)["cannot_run"].dump(); },
     cannot_run},
    {"charged", percent_of<kCharged>, cannot_run},
    {"vs def",
     [](const Json& chooser) {
       return dash_or(figures_of(chooser)["versus_default"], signed_percent);
     }},
};

std::string output_name(const std::string& collective, std::string_view target) {
  return fmt::format("{}.{}", collective, target);
}

std::string block(const std::string& title, const std::string& id,
                  const std::vector<std::string>& lines) {
  return fmt::format(
      "<div class=\"card\"><h3>{0}</h3><pre id=\"{1}\" tabindex=\"0\" "
      "aria-label=\"{0}\">{2}</pre></div>\n",
      title, id, html(join(lines, "\n")));
}

}  // namespace

std::string html(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() != text.data()) result += '\n';
    result += xml_escaped(printable(line));
  }
  return result;
}

std::string percent_html(const Json& fraction) {
  if (fraction.is_null()) return "–";
  const double value = fraction.get<double>();
  return (value < 0 ? "−" : "") + evaluate::percent_text(std::fabs(value)) + "\u00a0%";
}

const ReportChooser& shown_first(const std::vector<ReportChooser>& choosers) {
  if (choosers.back().is_given) return choosers.back();
  for (const char* id : {"deployed", "optimal"}) {
    const auto found = std::ranges::find(choosers, id, &ReportChooser::id);
    if (found != choosers.end()) return *found;
  }
  return choosers.back();
}

std::string label_of(const ReportChooser& chooser, const Json& collective) {
  if (chooser.id == "default") return "library default";
  if (chooser.id == "best")
    return collective.contains("predicted") ? "best known" : "best measured";
  if (chooser.id == "fixed") return "always " + chooser.detail;
  if (chooser.id == "deployed") return "model to deploy";
  if (chooser.id == "optimal") return "optimal tree";
  return std::filesystem::path(chooser.id).stem().string();
}

std::string gain_html(const PageCollective& page, const std::string& provenance) {
  const Shown shown = shown_of(page);
  return answer(page, shown, provenance) + tiles(page, shown) +
         "<div class=\"columns\">\n<div class=\"words\">" + measured(page) +
         versus_fixed(page, shown) + where(page, shown) + certainty(page, shown, provenance) +
         "</div>\n<div>" + region_table(page, shown) + "</div>\n</div>\n";
}

std::string comparison_html(const PageCollective& page) {
  std::vector<const Column*> columns;
  for (const Column& column : kColumns) {
    const Json& choosers = page.data["choosers"];
    if (column.is_needed == nullptr ||
        std::any_of(choosers.begin(), choosers.end(), column.is_needed))
      columns.push_back(&column);
  }
  std::string head = "<th scope=\"col\">chooser</th>";
  for (const Column* column : columns)
    head += fmt::format("<th scope=\"col\">{}</th>", html(column->title));
  std::string rows;
  for (const ReportChooser& chooser : page.choosers) {
    if (chooser.id == "best") continue;
    const Json& data = *chooser_of(page.data, chooser.id);
    rows += fmt::format("<tr data-chooser=\"{}\"><th scope=\"row\">{}</th>", html(chooser.id),
                        html(label_of(chooser, page.data)));
    for (const Column* column : columns) rows += fmt::format("<td>{}</td>", column->text(data));
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Everything that "
      "chooses, compared\">"
      "<table class=\"figures\"><caption>Performance penalty: (time of the chosen − time of the "
      "best) / time of the "
      "best</caption>\n<thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table></div>\n",
      head, rows);
}

// What a reader of this report can use: source, the file of `colltree run`, and the rules of the
// library that was measured.
bool is_useful(const emit::Emitter& emitter, const std::string& mpi) {
  const std::string_view target = emitter.target;
  if (target == "c" || target == "cdt") return true;
  if (target == "smpi") return mpi.starts_with("smpi-");
  try {
    return target == rules::rule_target_of(mpi).name;
  } catch (const Error&) {
    return false;  // a library without rules here
  }
}

std::string deploy_html(const PageCollective& page, const ReportInput& input) {
  const Shown shown = shown_of(page);
  const std::string leaves = shown.entry["leaves"].is_null() ? "" : shown.entry["leaves"].dump();
  const auto filled = [&](const Json& json) { return with_value(json.text(), "leaves", leaves); };
  const std::string model = shell_word(filled(shown.chooser["model_file"]));
  if (shown.chooser["model_file"].text().empty()) return "";
  const std::string collective(name(page.timings.collective));
  std::vector<std::string> lines;
  if (!shown.chooser["fit_command"].text().empty())
    lines.push_back(filled(shown.chooser["fit_command"]));
  lines.push_back(fmt::format("colltree evaluate {} --on {}", model, shell_word(input.profile)));
  for (const emit::Emitter& emitter : emit::emitters()) {
    if (!is_useful(emitter, input.overview.system.mpi)) continue;
    lines.push_back(fmt::format("# {}\ncolltree emit {} {} -o {}", emitter.summary, emitter.target,
                                model, output_name(collective, emitter.target)));
  }
  lines.emplace_back("# other targets: colltree emit --help");
  return block("Deploy the " + shown.name, "deploy-" + collective, lines);
}

std::string origin_html(const ReportInput& input) {
  std::vector<std::string> lines = origin_commands(input);
  lines.push_back("colltree evaluate compare " + shell_word(input.profile));
  lines.push_back(input.command);
  return block("Measure and report again", "commands-again", lines);
}

}  // namespace colltree::report
