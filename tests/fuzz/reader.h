// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzer feeds: everything in colltree that reads what others wrote.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree::fuzz {

struct Reader {
  std::string name;  // of its folder in corpus/
  // Reads the input and, when it is accepted, asks what was made of it. May throw Error, of one
  // line, and nothing else; calls `require` for what must hold of an accepted input.
  std::function<void(std::string_view input)> read;
};

std::vector<Reader> all_readers();

// One input through one reader; ends the program, as a crash does, if it throws what it may not.
void read_by(const Reader& reader, const std::string& input);

// A list for each file of readers.
std::vector<Reader> table_readers();
std::vector<Reader> results_readers();
std::vector<Reader> rule_readers();
std::vector<Reader> model_readers();
std::vector<Reader> job_readers();
std::vector<Reader> word_readers();
std::vector<Reader> profile_readers();
std::vector<Reader> decision_readers();

// Ends the program, as a crash does, when it does not hold.
void require(bool holds, std::string_view what);

// Takes a byte off the end, for readers that can be asked in several ways: the rest stays a file
// that people can read. 0 where there is none.
inline unsigned take_choice(std::string_view& input) {
  if (input.empty()) return 0;
  const auto choice = static_cast<unsigned char>(input.back());
  input.remove_suffix(1);
  return choice;
}

}  // namespace colltree::fuzz
