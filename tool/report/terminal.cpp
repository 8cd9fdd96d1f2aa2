// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>

#include "base/text.h"
#include "timings/decision_map.h"

namespace colltree::report {

namespace {

constexpr std::size_t kIndent = 8;  // communicator sizes and the gap behind them

struct Colour {  // sRGB
  std::uint8_t red, green, blue;
};

// Okabe and Ito's colours (2008), which differ for every colour vision; letters tell more methods
// apart.
constexpr Colour kMethodColours[] = {{230, 159, 0},   {86, 180, 233}, {0, 158, 115},
                                     {240, 228, 66},  {0, 114, 178},  {213, 94, 0},
                                     {204, 121, 167}, {153, 153, 153}};
// One for each step, then what cannot run and what was not measured.
constexpr Colour kPenaltyColours[] = {{255, 255, 255}, {255, 236, 150}, {250, 205, 50},
                                      {238, 124, 38},  {178, 24, 43},   {88, 40, 140},
                                      {208, 210, 214}};

Colour method_colour(std::size_t index) {
  return kMethodColours[index % std::size(kMethodColours)];
}

// The names of the attributes in trees.
constexpr std::string_view kWords[] = {"ranks",          "message",      "nodes",
                                       "ranks per node", "power of two", "even message size"};
static_assert(std::size(kWords) == kAttributes);

// "power of two?" rather than "power of two \u2264 0": then `low` is the branch of "no".
bool is_question(const model::RuleNode& node) {
  return greatest_value(node.attribute) == 1 && node.threshold == 0;
}

std::string painted(const std::string& text, Colour colour, TerminalColours colours) {
  if (colours == TerminalColours::kNone) return text;
  // On a light colour black is better to read than white.
  const bool is_light = 299 * colour.red + 587 * colour.green + 114 * colour.blue > 128 * 1000;
  const int ink = is_light ? 16 : 231;
  if (colours == TerminalColours::k256) {
    // Every terminal of 256 colours has the same 6 x 6 x 6.
    const auto step = [](std::uint8_t code) {
      return code < 48 ? 0 : code < 115 ? 1 : (code - 35) / 40;
    };
    const int nearest = 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue);
    return fmt::format("\x1b[48;5;{};38;5;{}m{}\x1b[0m", nearest, ink, text);
  }
  return fmt::format("\x1b[48;2;{};{};{};38;5;{}m{}\x1b[0m", colour.red, colour.green, colour.blue,
                     ink, text);
}

// The cells of a map refer to symbols by their index.
struct Symbol {
  char letter;
  Colour colour;
  std::string text;
};

struct CellMap {
  const std::vector<std::uint64_t>& communicator_sizes;
  const std::vector<std::uint64_t>& message_sizes;
  std::vector<std::size_t> cells;           // index into symbols
  const std::vector<std::uint8_t>* dotted;  // may be empty
  std::vector<Symbol> symbols;
  const char* dots = "";  // what dotted cells are
};

std::string cells_text(const CellMap& map, const Terminal& terminal) {
  const std::size_t columns = map.message_sizes.size();
  const bool is_wide = terminal.width != 0 && kIndent + 2 * columns > terminal.width;
  const std::size_t width = is_wide ? 1 : 2;
  const bool plain = terminal.colours == TerminalColours::kNone;
  std::string text = column_titles(map.message_sizes, kIndent, width);
  for (std::size_t row = 0; row < map.communicator_sizes.size(); ++row) {
    std::string line = fmt::format("{:>6}  ", map.communicator_sizes[row]);
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t cell = row * columns + column;
      const Symbol& symbol = map.symbols[map.cells[cell]];
      std::string letter(1, symbol.letter);
      if (width == 2) letter += !map.dotted->empty() && (*map.dotted)[cell] != 0 ? '\'' : ' ';
      line += painted(letter, symbol.colour, terminal.colours);
    }
    if (plain) line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  for (std::size_t symbol = 0; symbol < map.symbols.size(); ++symbol) {
    const auto count = static_cast<std::size_t>(std::ranges::count(map.cells, symbol));
    if (count == 0) continue;
    text += fmt::format("  {} {:<24} {:6} cells {:5.1f} %\n",
                        painted(fmt::format("{} ", map.symbols[symbol].letter),
                                map.symbols[symbol].colour, terminal.colours),
                        map.symbols[symbol].text, count,
                        100 * static_cast<double>(count) / static_cast<double>(map.cells.size()));
  }
  const auto holes = static_cast<std::size_t>(std::ranges::count(*map.dotted, 1));
  if (holes != 0 && width == 2)
    text += fmt::format("  '  {} of {} cells are {}\n", holes, map.cells.size(), map.dots);
  return text;
}

// The node and those below it: `first` leads its line, `rest` theirs.
std::string node_text(const model::RuleTree& tree, std::uint32_t index, const std::string& first,
                      const std::string& rest, TerminalColours colours) {
  const model::RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) {
    const std::string label = tree.methods[node.method].label();
    return first + painted(label, method_colour(node.method), colours) + '\n';
  }
  const std::string low = fmt::format("{}\u251c\u2500 {}: ", rest, branch_text(node, true));
  const std::string high = fmt::format("{}\u2514\u2500 {}: ", rest, branch_text(node, false));
  return first + test_text(node) + '\n' +
         node_text(tree, node.low, low, rest + "\u2502  ", colours) +
         node_text(tree, node.high, high, rest + "   ", colours);
}

}  // namespace

Terminal terminal_of(std::FILE* out) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  Terminal terminal;
  const bool is_terminal = ::isatty(::fileno(out)) == 1;
  winsize size{};
  if (is_terminal && ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0) terminal.width = size.ws_col;
  const bool wanted =
      variable("NO_COLOR").empty() &&
      (is_terminal ? variable("TERM") != "dumb" : !variable("CLICOLOR_FORCE").empty());
  if (!wanted) return terminal;
  const std::string_view depth = variable("COLORTERM");
  terminal.colours =
      depth == "truecolor" || depth == "24bit" ? TerminalColours::kAll : TerminalColours::k256;
  return terminal;
}

std::string terminal_map(const MethodMap& map, const Terminal& terminal) {
  std::map<Method, std::size_t> cells;
  for (const Method& method : map.methods) ++cells[method];
  std::vector<Method> methods;
  for (const auto& [method, count] : cells) methods.push_back(method);
  std::ranges::stable_sort(methods, std::greater(),
                           [&](const Method& method) { return cells.at(method); });
  CellMap drawn{map.communicator_sizes,      map.message_sizes, {}, &map.interpolated, {},
                dots_text(map.predicted > 0)};
  std::map<Method, std::size_t> rank;
  for (const Method& method : methods) {
    const std::size_t symbol = drawn.symbols.size();
    rank[method] = symbol;
    drawn.symbols.push_back({map_letter(symbol), method_colour(symbol), method.label()});
  }
  for (const Method& method : map.methods) drawn.cells.push_back(rank.at(method));
  return cells_text(drawn, terminal);
}

std::string terminal_penalty(const PenaltyMap& map, const Terminal& terminal) {
  static const std::vector<std::uint8_t> kNoDots;
  constexpr std::string_view kLetters = ".-+*#!?";
  CellMap drawn{map.communicator_sizes, map.message_sizes, {}, &kNoDots, {}, ""};
  for (std::size_t step = 0; step < kLetters.size(); ++step) {
    const char* text = step < std::size(kPenaltySteps) ? kPenaltySteps[step].text
                       : kLetters[step] == '!'         ? "cannot run"
                                                       : "not measured";
    drawn.symbols.push_back({kLetters[step], kPenaltyColours[step], text});
  }
  for (const double penalty : map.penalty) drawn.cells.push_back(penalty_step(penalty));
  return cells_text(drawn, terminal);
}

std::string terminal_tree(const model::RuleTree& tree, const Terminal& terminal) {
  std::string text;
  for (const model::RuleTree::Root& root : tree.roots)
    text += fmt::format("{}\n", name(root.collective)) +
            node_text(tree, root.node, "  ", "  ", terminal.colours);
  return text;
}

std::string test_text(const model::RuleNode& node) {
  const std::string_view word = kWords[static_cast<std::size_t>(node.attribute)];
  if (is_question(node)) return fmt::format("{}?", word);
  const bool bytes = node.attribute == Attribute::kMessageSize;
  const std::string value = bytes && node.threshold > 0 ? format_bytes(node.threshold)
                                                        : fmt::format("{}", node.threshold);
  return fmt::format("{} \u2264 {}", word, value);
}

const char* branch_text(const model::RuleNode& node, bool low) {
  return low != is_question(node) ? "yes" : "no";
}

}  // namespace colltree::report
