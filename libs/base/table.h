// SPDX-License-Identifier: BSD-3-Clause
// A table that is computed once and printed for people (aligned text) or for programs (CSV, JSON):
//
//     Table table({{"message_size", "bytes", " {:>9}"}, {"time_us", "time us", " {:>12.2f}"}});
//     table.add({1024, 3.25});
//     table.text()  //     bytes      time us\n      1024         3.25\n
//     table.csv()   // message_size,time_us\n1024,3.25\n
//     table.json()  // [{"message_size": 1024, "time_us": 3.25}]
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace colltree {

struct Column {
  std::string key;         // its name in CSV and JSON; "": only people see the column
  std::string title = "";  // its heading in the text
  // The {fmt} form of a cell in the text, with what stands before it: "  {:>7.3f}", " to {:.2f}";
  // "": only programs see the column.
  std::string form = "";
  std::string group = "";  // a heading above the titles of neighbours that have the same one
};

// A value of JSON, and its text where that is not the value by the column's form. A cell without
// either is blank in the text and CSV, and JSON has no such member. Null prints as "-".
struct Cell {
  Cell() = default;
  template <typename Value>
  requires std::constructible_from<Json, const Value&> Cell(const Value& value)
      : value(Json(value)) {}
  template <typename Value>
  Cell(const std::optional<Value>& value) : value(value ? Json(*value) : Json()) {}
  Cell(std::optional<Json> value, std::string text)
      : value(std::move(value)), text(std::move(text)) {}

  std::optional<Json> value;
  std::optional<std::string> text;  // in CSV it stands as it is, so that it may be quoted
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // A row may be shorter than the columns; `note` ends its line of text.
  void add(std::vector<Cell> cells, std::string note = "") {
    rows_.push_back({std::move(cells), std::move(note)});
  }

  std::string text() const;  // lines have no blanks at their ends
  std::string csv() const;   // real numbers have 6 digits
  Json json() const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string note;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace colltree
