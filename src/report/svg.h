// SPDX-License-Identifier: BSD-3-Clause
// Writer of one SVG document. Elements appear in the order of the calls; lengths are pixels of
// 1/96 inch, written to a hundredth. Groups carry a class, so that a reader finds his way.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/colour.h"

namespace colltree::report {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Paint {
  std::optional<Colour> fill;
  std::optional<Colour> stroke;
  double width = 1;  // of the stroke
  std::string dash;  // "4 2"; "" = solid
  double opacity = 1;
  bool crisp = false;  // edges on pixels: no seams between cells
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 11;
  Colour colour;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  bool upwards = false;  // rotated, reads from bottom to top
};

class Svg {
 public:
  // `title` is what screen readers say and browsers show.
  Svg(double width, double height, Colour page, std::string_view title);

  void open(std::string_view name);  // a group
  void close();
  void rect(const Box& box, const Paint& paint, double radius = 0);
  void line(Point from, Point to, const Paint& paint);
  void polyline(const std::vector<Point>& points, const Paint& paint);
  void path(std::string_view data, const Paint& paint);
  void circle(Point centre, double radius, const Paint& paint);
  void text(Point at, std::string_view words, const TextStyle& style);  // `at` is on the baseline

  std::string finish();  // the document; closes it

 private:
  void element(std::string_view content);
  std::string text_;
  std::size_t depth_ = 1;
};

// Text as it stands in XML and HTML, also inside quotes.
std::string xml_escaped(std::string_view words);

// "12.5": to a hundredth, without trailing zeros.
std::string svg_number(double value);

// Of text in the font that pictures ask for (Helvetica, or Arial and Liberation Sans, which have
// the same widths). Beyond ASCII: the width of a digit.
double text_width(std::string_view words, double size, bool bold = false);

// Pictures as files: SVG as it is drawn; PNG by rsvg-convert, which is asked only then.

// Before anything is computed: throws UsageError when the name ends neither in .svg nor in .png,
// Error when nothing can be written there.
void check_picture_name(const std::filesystem::path& path);

// By the ending of the name. `scale`: pixels of a PNG for each of the SVG. Throws Error.
void write_picture(const std::filesystem::path& path, const std::string& svg, double scale);

}  // namespace colltree::report
