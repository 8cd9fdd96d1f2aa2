// SPDX-License-Identifier: BSD-3-Clause
// Cuts a script into commands, words and names like a shell, without expansion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace colltree::rules {

struct ShellWord {
  std::string text;  // without quotes
  std::size_t line = 0;
  bool expanded = false;  // holds $ or ` outside single quotes
  bool open = false;      // a quote without its end
};

// A command as a shell divides a line: its words, and whether another follows behind a ';'.
struct ShellCommand {
  std::vector<ShellWord> words;
  bool goes_on = false;
};

// `line`: of the beginning of the text in its file.
std::vector<ShellCommand> shell_commands(std::string_view text, std::size_t line = 1);

inline constexpr std::string_view kNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

bool is_name(std::string_view text);
// "NAME=..."
bool is_assignment(std::string_view text);
// Returns the place of the first name with this prefix, or npos.
std::size_t find_name(std::string_view text, std::string_view prefix);
// True if the line is a comment in one of the languages that set variables.
bool is_comment(std::string_view line);

}  // namespace colltree::rules
