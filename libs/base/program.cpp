// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <new>

#include "base/error.h"
#include "base/options.h"
#include "base/streams.h"
#include "base/text.h"

namespace colltree {

namespace {

// The text in lines of at most 70 columns: CLI11 puts it behind 30.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kColumns = 70;
  std::string lines;
  std::size_t used = 0;
  for (const std::string_view word : split(text, ' ')) {
    const bool fits = used + 1 + word.size() <= kColumns;
    if (!lines.empty()) lines += fits ? ' ' : '\n';
    used = fits ? used + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

// The column in which CLI11 begins the description of an option.
constexpr std::size_t kDescription = 30;

class TerminalHelp : public CLI::Formatter {
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description());
  }
  // CLI11 ends each group with a blank line and begins the next with another.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    std::size_t blanks = 0;
    while ((blanks = help.find("\n\n\n")) < help.size()) help.erase(blanks, 1);
    return help;
  }
};

// The innermost command that was called.
const CLI::App& called(const CLI::App& program) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  return commands.empty() ? program : called(*commands.back());
}

// "colltree fit quadtree".
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

}  // namespace

std::string help_row(const std::string& name, const std::string& text) {
  std::string row = "  " + name;
  const std::string description = wrapped(text);  // outlives the views of its lines
  for (const std::string_view line : split(description, '\n')) {
    row.resize(std::max(row.size(), row.rfind('\n') + 1 + kDescription), ' ');
    row.append(line).append("\n");
  }
  return row;
}

std::unique_ptr<CLI::App> make_program(const std::string& name, const std::string& summary,
                                       const std::function<std::string()>& version) {
  auto program = std::make_unique<CLI::App>(summary, name);
  program->formatter(std::make_shared<TerminalHelp>());
  program->set_help_flag("-h,--help", "print this help and exit");
  program->set_version_flag(
      "--version", [name, version] { return name + " " + version(); },
      "print the version and exit");
  return program;
}

namespace {

namespace fs = std::filesystem;

bool are_one_regular_file(const std::string& a, const std::string& b) {
  std::error_code error;  // a file that is not there is no other's
  return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
}

// The path of the file that writing to `path` makes: links may lead to nothing yet.
fs::path written_path(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links)
    path = path.parent_path() / fs::read_symlink(path, error);
  return fs::weakly_canonical(fs::absolute(path, error), error);
}

bool will_be_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return !fs::exists(a, error) && !fs::exists(b, error) && written_path(a) == written_path(b);
}
// SQLite would remove such a file, because it has the name of a journal.
bool is_beside_database(const std::string& written, const std::string& database) {
  constexpr std::string_view kEndings[] = {"-journal", "-wal", "-shm"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return written.ends_with(ending) &&
           are_one_regular_file(written.substr(0, written.size() - ending.size()), database);
  });
}

bool is_output(const CLI::Option& option) { return option.get_type_name() == "TEXT:FILE"; }

void refuse_lost_file(const CLI::Option& output, const CLI::Option& option) {
  if (&output == &option || (!is_output(option) && option.get_type_name() != "TEXT")) return;
  const std::string& written = output.results().front();
  for (const std::string& named : option.results()) {
    if (is_beside_database(written, named))
      throw UsageError(fmt::format("{}: {} is a name that SQLite uses beside {}; write another one",
                                   output.get_name(), written, named));
    if (are_one_regular_file(written, named) ||
        (is_output(option) && will_be_one_file(written, named)))
      throw UsageError(fmt::format("{}: {} is the file that '{}' names ({}); write another one",
                                   output.get_name(), written, option.get_name(), named));
  }
}

// An empty value is a shell variable that was not set more often than a wish.
[[noreturn]] void refuse_empty(const std::string& option) {
  throw UsageError(fmt::format("{}: the value is empty; give one or leave it out", option));
}

void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_type_name().starts_with("TEXT") &&
        std::ranges::count(option->results(), "") > 0)
      refuse_empty(option->get_name());
  }
}

void check_values(const CLI::App& command) {
  refuse_empty_values(command);
  for (const CLI::Option* output : command.get_options()) {
    if (!is_output(*output) || output->empty()) continue;
    for (const CLI::Option* option : command.get_options()) refuse_lost_file(*output, *option);
  }
}

// CLI11 takes the next word for the value of "--name=".
void check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      refuse_empty(word.substr(0, word.size() - 1));
  }
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (command.get_option_no_throw(name) != nullptr)
    return fmt::format("option '{}' stands before the command '{}'; give it behind", name,
                       command.get_name());
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  return fmt::format("unknown option '{}'{}", name, did_you_mean(name, names));
}

std::string unknown_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) {
    names.push_back(command->get_name());
    const auto is_it = [&](const CLI::App* below) { return below->get_name() == word; };
    if (!command->get_subcommands(is_it).empty())
      return fmt::format("unknown command '{0}'; did you mean '{1} {0}'?", word, names.back());
  }
  return fmt::format("unknown command '{}'{}", word, did_you_mean(word, names));
}

// Explains a command line that CLI11 refused. An unknown word tells more than the option that is
// missing because of it.
std::string trouble_of(const CLI::App& program, const CLI::ParseError& error) {
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!is_required && dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  std::vector<std::string> words = program.remaining(true);
  std::erase(words, "--");
  const CLI::App& command = called(program);
  refuse_empty_values(command);
  const auto option =
      std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option != words.end()) return unknown_option(command, *option);
  if (!words.empty() && command.get_require_subcommand_min() > 0)
    return unknown_command(command, words.front());
  return is_required ? error.what() : fmt::format("unexpected argument '{}'", words.front());
}

void parse(CLI::App& program, std::vector<std::string> words) {
  check_words(words);
  program.parse_complete_callback([&program] { check_values(called(program)); });
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    program.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", program.help());
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
  } catch (const CLI::ParseError& error) {
    throw UsageError(trouble_of(program, error));
  }
}

}  // namespace

std::string explain_failure(const std::exception& failure, const std::string& command) {
  if (dynamic_cast<const Error*>(&failure) != nullptr) return failure.what();
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return fmt::format("'{}' needs more memory than there is; ask for less at once", command);
  if (const auto* file = dynamic_cast<const fs::filesystem_error*>(&failure))
    return fmt::format("{}: {}", file->path1().string(), file->code().message());
  return fmt::format(
      "'{}' met something that it was not written for; please report the whole command line "
      "with this: {}",
      command, failure.what());
}

namespace {

// Shortens a message, which may quote a text as long as a command line.
std::string line_of(const std::string& message) {
  constexpr std::size_t kEnd = 1000;
  const std::string line = printable(message);
  if (line.size() <= 4 * kEnd) return line;
  return fmt::format("{} ... ({} bytes) ... {}", printable(line.substr(0, kEnd)), line.size(),
                     printable(line.substr(line.size() - kEnd)));
}

}  // namespace

int run_program(CLI::App& program, std::vector<std::string> words) {
  const std::string& name = program.get_name();
  try {
    with_output([&] { parse(program, std::move(words)); });
    return 0;
  } catch (const UsageError& error) {
    say(fmt::format("{}: {}\nTry '{} --help'.\n", name, line_of(error.what()),
                    path_of(called(program))));
    return 2;
  } catch (const Unfinished& unfinished) {
    say(fmt::format("{}: {}\n", name, line_of(unfinished.what())));
    return kUnfinishedCode;
  } catch (const std::exception& error) {
    say(fmt::format("{}: {}\n", name, line_of(explain_failure(error, path_of(called(program))))));
    return 1;
  }
}

}  // namespace colltree
