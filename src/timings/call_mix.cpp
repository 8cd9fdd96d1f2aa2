// SPDX-License-Identifier: BSD-3-Clause
#include "timings/call_mix.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "timings/call_record.h"

namespace colltree {

namespace {

constexpr std::string_view kHeader = "collective,communicator_size,message_size,calls";

std::uint64_t size_field(std::string_view text, std::string_view what, std::string_view file,
                         std::size_t line) {
  if (const auto value = parse_bytes(trim(text))) return *value;
  throw ParseError(file, line, what, text);
}

CallCount parse_line(std::string_view text, std::string_view file, std::size_t line) {
  const std::vector<std::string_view> fields = split(text, ',');
  if (fields.size() != 4) throw ParseError(file, line, "4 fields", text);
  const auto collective = find_collective(trim(fields[0]));
  if (!collective) throw ParseError(file, line, "a collective", fields[0]);
  const auto calls = parse_number<double>(trim(fields[3]));
  if (!calls || !std::isfinite(*calls) || *calls <= 0) {
    throw ParseError(file, line, "a number of calls above 0", fields[3]);
  }
  return {{.collective = *collective,
           .communicator_size = size_field(fields[1], "a communicator size", file, line),
           .message_size = size_field(fields[2], "a message size", file, line)},
          *calls};
}

// Of a record, without calls on one rank, which no method can change, and sizes that only ranks
// other than a communicator's first saw.
std::vector<CallCount> mix_of_record(std::string_view content, std::string_view file) {
  std::vector<CallCount> mix;
  for (const RecordedCalls& row : parse_call_record(content, file).rows) {
    if (row.instance.communicator_size > 1 && row.calls > 0)
      mix.push_back({row.instance, static_cast<double>(row.calls)});
  }
  if (mix.empty()) throw Error(std::string(file) + ": the record holds no calls");
  return mix;
}

}  // namespace

std::vector<CallCount> parse_call_mix(std::string_view content, std::string_view file) {
  if (is_call_record(content)) return mix_of_record(content, file);
  std::vector<CallCount> mix;
  std::size_t number = 0;
  for (const std::string_view raw : split(content, '\n')) {
    const std::string_view line = trim(raw);
    if (++number == 1) {
      if (line != kHeader) throw ParseError(file, 1, kHeader, line);
    } else if (!line.empty()) {
      mix.push_back(parse_line(line, file, number));
    }
  }
  if (mix.empty()) throw ParseError(file, number, "the mix holds no calls");
  return mix;
}

std::vector<CallCount> load_call_mix(const std::filesystem::path& path) {
  return parse_call_mix(read_file(path, kMostModelBytes), path.string());
}

}  // namespace colltree
