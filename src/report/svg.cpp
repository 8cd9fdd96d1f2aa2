// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/process.h"
#include "base/text.h"

namespace colltree::report {

namespace fs = std::filesystem;

namespace {

std::string attributes(const Paint& paint) {
  std::string result = fmt::format(" fill=\"{}\"", paint.fill ? hex(*paint.fill) : "none");
  if (paint.stroke) {
    result += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", hex(*paint.stroke),
                          svg_number(paint.width));
  }
  if (!paint.dash.empty()) result += fmt::format(" stroke-dasharray=\"{}\"", paint.dash);
  if (paint.opacity < 1) result += fmt::format(" opacity=\"{}\"", svg_number(paint.opacity));
  if (paint.crisp) result += " shape-rendering=\"crispEdges\"";
  return result;
}

// Widths of the characters 32 to 126 of Helvetica, in thousandths of the size (Adobe's metrics).
constexpr int kWidths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

constexpr const char* kConverter = "rsvg-convert";

bool ends_in(const fs::path& path, const char* extension) {
  return lower(path.extension().string()) == extension;
}

std::string converted(const std::string& svg, double scale, const fs::path& target) {
  const TransientFolder folder;
  const fs::path drawn = folder.path() / "drawn.svg";
  const fs::path png = folder.path() / "drawn.png";
  write_file(drawn, svg);
  constexpr double kTimeout_s = 120;
  const CommandResult result = run_command(
      {kConverter, "--zoom", fmt::format("{:g}", scale), "--output", png.string(), drawn.string()},
      kTimeout_s);
  if (result.failure.empty() && fs::exists(png)) return read_file(png);
  throw Error(
      fmt::format("{}: a PNG needs the program {} (Debian: librsvg2-bin): {}; or name a "
                  "file that ends in .svg",
                  target.string(), kConverter,
                  result.first_error.empty() ? result.failure : result.first_error));
}

}  // namespace

std::string xml_escaped(std::string_view words) {
  std::string result;
  for (const char c : words) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view words, double size, bool bold) {
  int width = 0;
  for (const char c : words) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte <= 126) {
      width += kWidths[byte - 32];
    } else if ((byte & 0xC0U) != 0x80U) {  // the first byte of a character
      width += 556;
    }
  }
  constexpr double kBold = 1.06;
  return width * size / 1000 * (bold ? kBold : 1);
}

Svg::Svg(double width, double height, Colour page, std::string_view title) {
  text_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n",
      svg_number(std::ceil(width)), svg_number(std::ceil(height)));
  element(fmt::format("<title>{}</title>", xml_escaped(title)));
  element(fmt::format("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", hex(page)));
}

void Svg::element(std::string_view content) {
  text_.append(2 * depth_, ' ');
  text_ += content;
  text_ += '\n';
}

void Svg::open(std::string_view name) {
  element(fmt::format("<g class=\"{}\">", xml_escaped(name)));
  ++depth_;
}

void Svg::close() {
  --depth_;
  element("</g>");
}

void Svg::rect(const Box& box, const Paint& paint, double radius) {
  element(fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>", svg_number(box.left),
      svg_number(box.top), svg_number(box.width), svg_number(box.height),
      radius > 0 ? fmt::format(" rx=\"{}\"", svg_number(radius)) : "", attributes(paint)));
}

void Svg::line(Point from, Point to, const Paint& paint) {
  element(fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>", svg_number(from.x),
                      svg_number(from.y), svg_number(to.x), svg_number(to.y), attributes(paint)));
}

void Svg::polyline(const std::vector<Point>& points, const Paint& paint) {
  std::string list;
  for (const Point& point : points) {
    list +=
        fmt::format("{}{},{}", list.empty() ? "" : " ", svg_number(point.x), svg_number(point.y));
  }
  element(fmt::format("<polyline points=\"{}\" stroke-linejoin=\"round\"{}/>", list,
                      attributes(paint)));
}

void Svg::path(std::string_view data, const Paint& paint) {
  element(fmt::format("<path d=\"{}\"{}/>", data, attributes(paint)));
}

void Svg::circle(Point centre, double radius, const Paint& paint) {
  element(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>", svg_number(centre.x),
                      svg_number(centre.y), svg_number(radius), attributes(paint)));
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  std::string more;
  if (style.anchor != Anchor::kStart)
    more += fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<std::size_t>(style.anchor)]);
  if (style.bold) more += " font-weight=\"bold\"";
  if (style.upwards)
    more += fmt::format(" transform=\"rotate(-90 {} {})\"", svg_number(at.x), svg_number(at.y));
  element(fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>",
                      svg_number(at.x), svg_number(at.y), svg_number(style.size), hex(style.colour),
                      more, xml_escaped(words)));
}

std::string Svg::finish() { return std::move(text_) + "</svg>\n"; }

void check_picture_name(const fs::path& path) {
  if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
    throw UsageError(fmt::format("{}: the name of a picture ends in .svg or .png", path.string()));
  check_writable(path);
}

void write_picture(const fs::path& path, const std::string& svg, double scale) {
  check_picture_name(path);
  write_file(path, ends_in(path, ".svg") ? svg : converted(svg, scale, path));
}

}  // namespace colltree::report
