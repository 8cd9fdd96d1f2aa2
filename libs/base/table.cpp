// SPDX-License-Identifier: BSD-3-Clause
#include "base/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv_fields.h"

namespace colltree {

namespace {

// A text in the place of a number: the form without its precision. Words of the form stand only
// beside a text.
std::string placed(const std::string& form, const std::string& text) {
  const std::size_t field = form.find('{');
  const std::size_t precision = std::min(form.find('.', field), form.find('}', field));
  const std::string width = form.substr(field, precision - field) + form.substr(form.find('}'));
  const std::string before = text.empty() ? std::string(field, ' ') : form.substr(0, field);
  return before + fmt::format(fmt::runtime(width), text);
}

std::string cell_text(const Column& column, const Cell& cell) {
  if (cell.text || !cell.value) return placed(column.form, cell.text.value_or(""));
  if (cell.value->is_number() && column.form.find('.') != std::string::npos)
    return fmt::format(fmt::runtime(column.form), cell.value->number());
  return placed(column.form, cell.value->is_null() ? "-" : cell.value->shown());
}

std::string cell_csv(const Cell& cell) {
  if (cell.text || !cell.value || cell.value->is_null()) return cell.text.value_or("");
  if (cell.value->is_number_float()) return fmt::format("{:.6g}", cell.value->number());
  return csv_field(cell.value->shown());
}

std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string Table::text() const {
  std::string groups;
  std::string titles;
  std::size_t begin = 0;  // of the columns of one group, in the line of titles
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].form.empty()) titles += placed(columns_[i].form, columns_[i].title);
    if (i + 1 < columns_.size() && columns_[i + 1].group == columns_[i].group) continue;
    groups += fmt::format("{:>{}}", columns_[i].group, titles.size() - begin);
    begin = titles.size();
  }
  std::string text = line_of(groups) + line_of(titles);
  text.erase(0, text.find_first_not_of('\n'));
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (!columns_[i].form.empty()) line += cell_text(columns_[i], row.cells[i]);
    text += line_of(line + row.note);
  }
  return text;
}

std::string Table::csv() const {
  std::string text;
  const auto add_line = [&](const auto& field) {
    bool is_first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].key.empty()) continue;
      text += (is_first ? "" : ",") + field(i);
      is_first = false;
    }
    text += "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].key; });
  for (const Row& row : rows_)
    add_line([&](std::size_t i) {
      return i < row.cells.size() ? cell_csv(row.cells[i]) : std::string();
    });
  return text;
}

Json Table::json() const {
  Json rows = Json::array();
  for (const Row& row : rows_) {
    Json members = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (!columns_[i].key.empty() && row.cells[i].value)
        members[columns_[i].key] = *row.cells[i].value;
    rows.push_back(std::move(members));
  }
  return rows;
}

}  // namespace colltree
