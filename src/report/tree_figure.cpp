// SPDX-License-Identifier: BSD-3-Clause
#include "report/tree_figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "report/frame.h"

namespace colltree::report {

namespace {

constexpr double kTreeRow = 17;  // of a leaf
constexpr double kTreeMargin = 16;
constexpr double kBranch = 44;   // from a test to the next column: the word on it fits
constexpr double kHeading = 30;  // above each collective
constexpr double kTextSize = 10.5;
constexpr std::uint64_t kMostLeaves = 400;

// How a picture names them.
constexpr std::string_view kWords[] = {"ranks",          "message",      "nodes",
                                       "ranks per node", "power of two", "even message size"};
static_assert(std::size(kWords) == kAttributes);

// "power of two?" rather than "power of two \u2264 0": then `low` is the branch of "no".
bool is_question(const model::RuleNode& node) {
  return greatest_value(node.attribute) == 1 && node.threshold == 0;
}

class Drawing {
 public:
  Drawing(const model::RuleTree& tree, Background background)
      : tree_(tree), palette_(tree.methods, background), background_(background) {
    for (const model::RuleTree::Root& root : tree.roots) measure(root.node, 0);
    columns_.resize(widths_.size() + 1, kTreeMargin);
    for (std::size_t depth = 0; depth < widths_.size(); ++depth) {
      columns_[depth + 1] = columns_[depth] + widths_[depth] + kBranch;
    }
  }

  std::string draw(const std::string& title) {
    const auto leaves = static_cast<double>(model::total_shape(tree_).leaves);
    const double top = kTreeMargin + 24;
    const double height =
        top + leaves * kTreeRow + kHeading * static_cast<double>(tree_.roots.size()) + kTreeMargin;
    double width = columns_.back() - kBranch + kTreeMargin;
    width = std::max(width, kTreeMargin * 2 + text_width(title, 14, true));
    Svg svg(width, height, page_colour(background_), title);
    draw_title(svg, title, background_);
    next_row_ = top;
    for (const model::RuleTree::Root& root : tree_.roots) {
      svg.open(name(root.collective));
      svg.text({kTreeMargin, next_row_ + 18}, name(root.collective),
               {.size = 12, .colour = text_colour(background_), .bold = true});
      next_row_ += kHeading;
      draw_node(svg, root.node, 0);
      svg.close();
    }
    return svg.finish();
  }

 private:
  double width_of(const model::RuleNode& node) const {
    const std::string text = node.is_leaf() ? tree_.methods[node.method].label() : test_text(node);
    return text_width(text, kTextSize) + 12;
  }

  void measure(std::uint32_t index, std::size_t depth) {
    const model::RuleNode& node = tree_.nodes[index];
    if (widths_.size() <= depth) widths_.resize(depth + 1, 0);
    widths_[depth] = std::max(widths_[depth], width_of(node));
    if (node.is_leaf()) return;
    measure(node.low, depth + 1);
    measure(node.high, depth + 1);
  }

  // Draws the subtree below what is drawn already; returns the height of its node's middle.
  double draw_node(Svg& svg, std::uint32_t index, std::size_t depth) {
    const model::RuleNode& node = tree_.nodes[index];
    if (node.is_leaf()) {
      const double middle = next_row_ + kTreeRow / 2;
      next_row_ += kTreeRow;
      draw_leaf(svg, node, columns_[depth], middle);
      return middle;
    }
    // Branches go below the boxes, so the children are drawn first.
    const double low = draw_node(svg, node.low, depth + 1);
    const double high = draw_node(svg, node.high, depth + 1);
    const double middle = (low + high) / 2;
    draw_branch(svg, node, depth, middle, low, true);
    draw_branch(svg, node, depth, middle, high, false);
    draw_test(svg, node, columns_[depth], middle);
    return middle;
  }

  void draw_leaf(Svg& svg, const model::RuleNode& node, double left, double middle) const {
    const Method& method = tree_.methods[node.method];
    const Colour colour = palette_.of(method);
    svg.rect({left, middle - 7.5, width_of(node), 15},
             {.fill = colour, .stroke = faint_colour(background_), .width = 0.6}, 3);
    svg.text({left + 6, middle + 3.7}, method.label(),
             {.size = kTextSize, .colour = ink_on(colour)});
  }

  void draw_test(Svg& svg, const model::RuleNode& node, double left, double middle) const {
    svg.rect({left, middle - 8, width_of(node), 16},
             {.fill = page_colour(background_), .stroke = text_colour(background_), .width = 0.8});
    svg.text({left + 6, middle + 3.7}, test_text(node),
             {.size = kTextSize, .colour = text_colour(background_)});
  }

  void draw_branch(Svg& svg, const model::RuleNode& node, std::size_t depth, double from, double to,
                   bool low) const {
    const double start = columns_[depth] + width_of(node);
    const double elbow = columns_[depth] + widths_[depth] + 10;
    const Paint line{.stroke = text_colour(background_), .width = 0.8};
    svg.path(fmt::format("M{} {}H{}V{}H{}", svg_number(start), svg_number(from), svg_number(elbow),
                         svg_number(to), svg_number(columns_[depth + 1])),
             line);
    svg.text({elbow + 4, to - 2.5}, branch_text(node, low),
             {.size = 8.5, .colour = text_colour(background_)});
  }

  const model::RuleTree& tree_;
  Palette palette_;
  Background background_;
  std::vector<double> widths_;   // by depth: the widest box
  std::vector<double> columns_;  // by depth: its left edge
  double next_row_ = 0;
};

}  // namespace

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

std::string draw_tree(const model::RuleTree& tree, const std::string& title,
                      Background background) {
  const std::uint64_t leaves = model::total_shape(tree).leaves;
  if (leaves > kMostLeaves) {
    throw Error(
        fmt::format("this tree has {} leaves, too many to draw (at most {}); draw its map instead",
                    leaves, kMostLeaves));
  }
  return Drawing(tree, background).draw(title);
}

}  // namespace colltree::report
