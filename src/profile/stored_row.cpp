// SPDX-License-Identifier: BSD-3-Clause
#include "profile/stored_row.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"
#include "profile/limits.h"

namespace colltree {

const char* const kDamageRemedy =
    "the file is damaged: restore a copy, or save what is left as docs/formats/profile.md says";

std::string time_limits() {
  return fmt::format("from {} to {}", format_double(kLeastTime_us), format_double(kMostTime_us));
}

std::string StoredRow::shown(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (value.isNull()) return "nothing";
  if (value.isInteger()) return fmt::format("{}", value.getInt64());
  if (value.isFloat()) return format_double(value.getDouble());
  return fmt::format("'{}'", value.getString().substr(0, 100));
}

void StoredRow::wrong(int column, std::string_view expected) const {
  throw Error(printable(fmt::format("{}: table {} {}: {} is {}, expected {}; {}", path_.string(),
                                    place_, shown(id_), query_.getColumn(column).getName(),
                                    shown(column), expected, kDamageRemedy)));
}

std::int64_t StoredRow::integer(int column, std::int64_t least, std::int64_t most) const {
  const SQLite::Column value = query_.getColumn(column);
  const std::int64_t number = value.getInt64();
  if (!value.isInteger() || number < least || number > most) {
    wrong(column, fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

std::uint64_t StoredRow::number(int column, std::uint64_t least, std::uint64_t most) const {
  return static_cast<std::uint64_t>(
      integer(column, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
}

std::optional<std::uint64_t> StoredRow::number_or_null(int column, std::uint64_t most) const {
  if (is_null(column)) return std::nullopt;
  return number(column, 0, most);
}

double StoredRow::time_us(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (!value.isFloat() || !is_time(value.getDouble())) {
    wrong(column, "a time " + time_limits());
  }
  return value.getDouble();
}

std::string StoredRow::text(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (!value.isText()) wrong(column, "text");
  return value.getString();
}

std::string StoredRow::word(int column) const {
  std::string value = text(column);
  if (const std::string why = unfit_for_line(value); !why.empty()) {
    wrong(column, fmt::format("text without {}", why));
  }
  return value;
}

std::string StoredRow::free_text(int column) const { return printable(text(column)); }

}  // namespace colltree
