// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

SizeList::SizeList(std::string list)
    : text(std::move(list)), sizes(parse_size_list(text, "sizes")) {}

// What the kinds of values differ in. `take` reads one value into the target and says whether it is
// what was expected; `expected` is "" when every word will do.
struct Option::State {
  // All that was given for it. Throws UsageError.
  void take_all(const std::vector<std::string>& values) const;

  ValueKind kind = ValueKind::kWord;
  std::string type;      // in --help: "UINT:2..1000"
  std::string expected;  // in errors: "a whole number from 2 to 1000"
  std::function<bool(std::string_view text)> take;
  std::function<std::string()> present;  // the target's value as --help shows it
  std::function<void()> clear;           // optional targets: take the value away
  bool list = false;
  bool output = false;
  bool dash = false;          // of or_standard_output
  std::string no_value_word;  // of or_word
  std::vector<std::string> words;
  CLI::Option* option = nullptr;
};

namespace {

// One form whatever CLI11's version is: "UINT:2..1000=5".
std::string value_text_of(const CLI::Option& option) {
  if (option.get_type_name().empty()) return "";
  std::string text = option.get_type_name();
  if (!option.get_default_str().empty()) text += "=" + option.get_default_str();
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option.get_required()) text += " REQUIRED";
  return text;
}

std::string comma_list(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : std::string_view(", ");
    text += words[i];
  }
  return text;
}

}  // namespace

Option::Option(std::unique_ptr<State> state) : state_(std::move(state)) {}
Option::~Option() = default;

Option& Option::required() {
  state_->option->required();
  return *this;
}

Option& Option::show_default() { return show_default(state_->present()); }

Option& Option::show_default(const std::string& text) {
  state_->option->default_str(text);
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  state_->type += fmt::format(":{{{}}}", join(words, ","));
  state_->expected = comma_list(words, " or ");
  state_->words = std::move(words);
  return *this;
}

Option& Option::or_word(std::string word) {
  state_->type += "|" + word;
  state_->expected += " or " + word;
  state_->no_value_word = std::move(word);
  return *this;
}

Option& Option::or_standard_output() {
  state_->dash = true;
  return *this;
}

Option& Option::once() {
  state_->option->expected(1);
  state_->list = false;
  return *this;
}

bool Option::given() const { return !state_->option->empty(); }
std::string Option::name() const { return state_->option->get_name(); }
std::vector<std::string> Option::names() const {
  if (is_positional()) return {name()};
  std::vector<std::string> names;
  for (const std::string& one : state_->option->get_snames()) names.push_back("-" + one);
  for (const std::string& one : state_->option->get_lnames()) names.push_back("--" + one);
  return names;
}
std::string Option::help() const { return state_->option->get_description(); }
std::string Option::value_text() const { return value_text_of(*state_->option); }
std::vector<std::string> Option::words() const { return state_->words; }
ValueKind Option::kind() const { return state_->kind; }
bool Option::is_positional() const { return state_->option->get_positional(); }
std::string Option::expected() const { return state_->expected; }
bool Option::is_output() const { return state_->output; }

struct CommandLine::State {
  std::unique_ptr<CLI::App> own;  // of the root
  CLI::App* app = nullptr;
  CommandLine* parent = nullptr;
  std::vector<std::unique_ptr<Option>> options;
  std::vector<std::unique_ptr<CommandLine>> subcommands;
  std::function<void()> work;
  std::function<void(const std::string&)> on_unknown_subcommand;
  std::vector<std::string> words;  // of the root: as they were given
};

namespace {

class Help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = value_text_of(*option);
    return text.empty() ? "" : " " + text;
  }
};

}  // namespace

CommandLine::CommandLine(const std::string& program, const std::string& summary,
                         std::function<std::string()> version)
    : state_(std::make_unique<State>()) {
  state_->own = std::make_unique<CLI::App>(summary, program);
  state_->app = state_->own.get();
  state_->app->formatter(std::make_shared<Help>());
  state_->app->set_version_flag(
      "--version", [program, version = std::move(version)] { return program + " " + version(); });
}

CommandLine::CommandLine(std::unique_ptr<State> state) : state_(std::move(state)) {}
CommandLine::~CommandLine() = default;

CommandLine& CommandLine::add_subcommand(const std::string& name, const std::string& summary) {
  auto state = std::make_unique<State>();
  state->app = state_->app->add_subcommand(name, summary);
  state->parent = this;
  state_->subcommands.push_back(std::unique_ptr<CommandLine>(new CommandLine(std::move(state))));
  return *state_->subcommands.back();
}

void CommandLine::require_subcommand() { state_->app->require_subcommand(1); }

void CommandLine::set_on_unknown_subcommand(std::function<void(const std::string& word)> refuse) {
  state_->on_unknown_subcommand = std::move(refuse);
}
void CommandLine::set_footer(const std::string& text) { state_->app->footer(text); }
std::string CommandLine::footer() const { return state_->app->get_footer(); }
void CommandLine::set_work(std::function<void()> work) { state_->work = std::move(work); }
std::string CommandLine::name() const { return state_->app->get_name(); }
std::string CommandLine::summary() const { return state_->app->get_description(); }

std::vector<const CommandLine*> CommandLine::subcommands() const {
  std::vector<const CommandLine*> all;
  for (const auto& one : state_->subcommands) all.push_back(one.get());
  return all;
}

std::vector<const Option*> CommandLine::options() const {
  std::vector<const Option*> all;
  for (const auto& one : state_->options) all.push_back(one.get());
  return all;
}

// Declaring.

namespace {

// An empty value is a shell variable that was not set more often than a wish.
void refuse_empty(const CLI::Option& option) {
  throw UsageError(fmt::format("{}: the value is empty; {}", option.get_name(),
                               option.get_required() ? "give one" : "give one or leave it out"));
}

// "-o=x" is "-o" with "=x", as everywhere; who writes it means x. Who writes "-" means no file of
// that name.
void refuse_odd_output(const CLI::Option& option, const std::string& value) {
  const std::string name = option.get_name();
  if (value == "-") {
    throw UsageError(
        fmt::format("{}: '-' does not stand for standard output here; name a file", name));
  }
  throw UsageError(fmt::format(
      "{}: its value begins with '='; write '{} {}', or '{} ./{}' for a file of that name", name,
      name, value.substr(1), name, value));
}

}  // namespace

void Option::State::take_all(const std::vector<std::string>& values) const {
  const std::string name = option->get_name();
  if (kind != ValueKind::kFlag && !list && values.size() > 1)
    throw UsageError(fmt::format("{}: given {} times; give it once", name, values.size()));
  for (const std::string& text : values) {
    if (text.empty() && kind == ValueKind::kWord) refuse_empty(*option);
    const bool is_odd = (text == "-" && !dash) || (text.size() > 1 && text.front() == '=');
    if (output && is_odd) refuse_odd_output(*option, text);
    if (!no_value_word.empty() && text == no_value_word) {
      clear();
      continue;
    }
    if (!words.empty() && std::ranges::count(words, text) == 0) refuse(name, expected, text);
    if (!take(text)) refuse(name, expected, text);
  }
}

namespace {

// A word names one option or one positional argument. CLI11 before 2.4 lets "profile" and
// "--profile" pass; later ones throw, and a program written with an old one would not start.
void refuse_second_use(const CLI::App& app, const std::string& names) {
  std::string name = names.substr(names.rfind(',') + 1);
  name.erase(0, name.find_first_not_of('-'));
  for (const CLI::Option* other : app.get_options()) {
    if (other->get_single_name() == name)
      throw std::logic_error(fmt::format("{}: '{}' is declared twice", app.get_name(), name));
  }
}

}  // namespace

Option& CommandLine::declare(const std::string& names, const std::string& help,
                             std::unique_ptr<Option::State> state) {
  refuse_second_use(*state_->app, names);
  Option::State* const one = state.get();
  one->option = state_->app->add_option(
      names,
      [one](const CLI::results_t& values) {
        one->take_all(values);
        return true;
      },
      help);
  one->option->type_name_fn([one] { return one->type; });
  // take_all counts.
  one->option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (one->list) one->option->expected(CLI::detail::expected_max_vector_size);
  if (one->kind == ValueKind::kFlag) one->option->expected(0);
  state_->options.push_back(std::unique_ptr<Option>(new Option(std::move(state))));
  return *state_->options.back();
}

Option& CommandLine::add(const std::string& names, std::string& target, const std::string& help) {
  auto state = std::make_unique<Option::State>();
  state->type = "TEXT";
  state->take = [&target](std::string_view text) {
    target = text;
    return true;
  };
  state->present = [&target] { return target; };
  return declare(names, help, std::move(state));
}

Option& CommandLine::add(const std::string& names, std::optional<std::string>& target,
                         const std::string& help) {
  auto state = std::make_unique<Option::State>();
  state->type = "TEXT";
  state->take = [&target](std::string_view text) {
    target = text;
    return true;
  };
  state->present = [&target] { return target.value_or(""); };
  return declare(names, help, std::move(state));
}

Option& CommandLine::add(const std::string& names, std::vector<std::string>& target,
                         const std::string& help) {
  auto state = std::make_unique<Option::State>();
  state->type = "TEXT";
  state->list = true;
  state->take = [&target](std::string_view text) {
    target.emplace_back(text);
    return true;
  };
  state->present = [&target] { return join(target, " "); };
  return declare(names, help, std::move(state));
}

Option& CommandLine::add_output(const std::string& names, std::string& target,
                                const std::string& help) {
  Option& option = add(names, target, help);
  option.state_->output = true;
  return option;
}

Option& CommandLine::add_flag(const std::string& names, bool& target, const std::string& help) {
  auto state = std::make_unique<Option::State>();
  state->kind = ValueKind::kFlag;
  state->expected = "no value";
  state->take = [&target](std::string_view text) {
    if (text != "true" && text != "false") return false;
    target = text == "true";
    return true;
  };
  state->present = [] { return std::string(); };
  return declare(names, help, std::move(state));
}

namespace {

using Take = std::function<bool(std::string_view text)>;

// Stores what was read, if anything was.
template <typename Number, typename Value>
bool store(Number& target, const std::optional<Value>& value) {
  if (value) target = static_cast<Number>(*value);
  return value.has_value();
}

// The State of a number, whatever it is kept in.
template <typename State>
std::unique_ptr<State> number_state(std::string type, std::string expected, Take take,
                                    std::function<std::string()> present) {
  auto state = std::make_unique<State>();
  state->kind = ValueKind::kNumber;
  state->type = std::move(type);
  state->expected = std::move(expected);
  state->take = std::move(take);
  state->present = std::move(present);
  return state;
}

template <typename State, typename Number>
std::unique_ptr<State> whole_state(Number& target, const WholeRange& range) {
  return number_state<State>(
      "UINT:" + short_text(range), expected_text(range),
      [&target, range](std::string_view text) { return store(target, find_whole(text, range)); },
      [&target] { return fmt::format("{}", target); });
}

// A float is read as one: rounding a double would round twice.
template <typename State, typename Number>
std::unique_ptr<State> real_state(Number& target, const RealRange& range) {
  return number_state<State>(
      "FLOAT:" + short_text(range), expected_text(range),
      [&target, range](std::string_view text) {
        return find_real(text, range) && store(target, parse_number<Number>(text));
      },
      [&target] { return fmt::format("{}", target); });
}

// The same for an optional target: read into a number that outlives the parse, then stored.
template <typename State, typename Number, typename Range>
std::unique_ptr<State> optional_state(std::optional<Number>& target, const Range& range,
                                      std::unique_ptr<State> (*of_number)(Number& target,
                                                                          const Range& range)) {
  const auto number = std::make_shared<Number>();
  std::unique_ptr<State> state = of_number(*number, range);
  state->take = [&target, number, take = state->take](std::string_view text) {
    if (!take(text)) return false;
    target = *number;
    return true;
  };
  state->present = [&target] { return target ? fmt::format("{}", *target) : std::string(); };
  state->clear = [&target] { target.reset(); };
  return state;
}

}  // namespace

Option& CommandLine::add(const std::string& names, int& target, WholeRange range,
                         const std::string& help) {
  return declare(names, help, whole_state<Option::State>(target, range));
}

Option& CommandLine::add(const std::string& names, std::uint32_t& target, WholeRange range,
                         const std::string& help) {
  return declare(names, help, whole_state<Option::State>(target, range));
}

Option& CommandLine::add(const std::string& names, std::uint64_t& target, WholeRange range,
                         const std::string& help) {
  return declare(names, help, whole_state<Option::State>(target, range));
}

Option& CommandLine::add(const std::string& names, std::optional<std::uint64_t>& target,
                         WholeRange range, const std::string& help) {
  return declare(names, help,
                 optional_state(target, range, whole_state<Option::State, std::uint64_t>));
}

Option& CommandLine::add(const std::string& names, float& target, RealRange range,
                         const std::string& help) {
  return declare(names, help, real_state<Option::State>(target, range));
}

Option& CommandLine::add(const std::string& names, std::optional<float>& target, RealRange range,
                         const std::string& help) {
  return declare(names, help, optional_state(target, range, real_state<Option::State, float>));
}

Option& CommandLine::add(const std::string& names, double& target, RealRange range,
                         const std::string& help) {
  return declare(names, help, real_state<Option::State>(target, range));
}

Option& CommandLine::add(const std::string& names, std::optional<double>& target, RealRange range,
                         const std::string& help) {
  return declare(names, help, optional_state(target, range, real_state<Option::State, double>));
}

Option& CommandLine::add_size(const std::string& names, std::uint64_t& target, WholeRange range,
                              const std::string& help) {
  return declare(
      names, help,
      number_state<Option::State>(
          "SIZE", expected_size_text(range),
          [&target, range](std::string_view text) { return store(target, find_size(text, range)); },
          [&target] { return size_text(target); }));
}

Option& CommandLine::add_sizes(const std::string& names, SizeList& target, WholeRange range,
                               const std::string& help) {
  auto state = number_state<Option::State>("SIZES", "a list of sizes", {},
                                           [&target] { return target.text; });
  // The list says itself which of its parts is wrong.
  state->take = [&target, range, one = state.get()](std::string_view text) {
    target.sizes = parse_size_list(text, range, one->option->get_name());
    target.text = text;
    return true;
  };
  state->clear = [&target, one = state.get()] {
    target.sizes.clear();
    target.text = one->no_value_word;
  };
  return declare(names, help, std::move(state));
}

Option& CommandLine::add_percent(const std::string& names, double& fraction, RealRange percent,
                                 const std::string& help) {
  return declare(names, help,
                 number_state<Option::State>(
                     "PERCENT", expected_percent_text(percent),
                     [&fraction, percent](std::string_view text) {
                       return store(fraction, find_percent(text, percent));
                     },
                     [&fraction] { return fmt::format("{}%", 100 * fraction); }));
}

// Reading a command line.

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& long_name : option->get_lnames()) names.push_back("--" + long_name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// CLI11 says which words were left over; we say what was probably meant. Behind "--" no word is an
// option.
std::string explain_extras(const CLI::App& app, const std::string& word, bool behind_dashes) {
  if (word.starts_with("-") && !behind_dashes) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(option_names(app), name) > 0) {
      return fmt::format("option '{}' stands before the command '{}'; give it behind", name,
                         app.get_name());
    }
    return fmt::format("unknown option '{}'{}", name, did_you_mean(name, option_names(app)));
  }
  const std::vector<std::string> names = subcommand_names(app);
  if (!names.empty()) return fmt::format("unknown command '{}'{}", word, did_you_mean(word, names));
  return fmt::format("unexpected argument '{}'", word);
}

bool takes_values(const CommandLine& line, const std::string& name) {
  return std::ranges::any_of(line.options(),
                             [&](const Option* one) {
                               return one->kind() != ValueKind::kFlag && one->name() == name;
                             }) ||
         std::ranges::any_of(line.subcommands(),
                             [&](const CommandLine* sub) { return takes_values(*sub, name); });
}

// The words behind the program, last first, as CLI11 takes them. "--mix=" becomes "--mix" and an
// empty word: CLI11 would take the word behind it for the value.
std::vector<std::string> words_of(const CommandLine& line, int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      word.pop_back();
      if (takes_values(line, word)) {
        words.push_back(word);
        word.clear();
      } else {
        word += '=';
      }
    }
    words.push_back(word);
  }
  std::ranges::reverse(words);
  return words;
}

}  // namespace

const CommandLine& CommandLine::innermost() const {
  for (const auto& sub : state_->subcommands) {
    if (sub->state_->app->parsed()) return sub->innermost();
  }
  return *this;
}

namespace {

bool are_one_regular_file(const std::string& a, const std::string& b) {
  std::error_code error;  // a file that is not there is no other's
  return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
}

// What a path names once it is made: through links that lead to nothing yet, too.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

// SQLite takes such a file for its own, and removes it.
bool is_beside_database(const std::string& written, const std::string& named) {
  constexpr std::string_view kEndings[] = {"-journal", "-wal", "-shm"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return written.ends_with(ending) &&
           are_one_regular_file(written.substr(0, written.size() - ending.size()), named);
  });
}

bool will_be_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return !std::filesystem::exists(a, error) && !std::filesystem::exists(b, error) &&
         place_of(a) == place_of(b);
}

}  // namespace

void CommandLine::refuse_outputs_that_are_inputs() const {
  for (const auto& output : state_->options) {
    if (!output->is_output() || !output->given()) continue;
    const std::string& written = output->state_->option->results().front();
    for (const auto& other : state_->options) {
      if (other == output || other->kind() != ValueKind::kWord) continue;
      for (const std::string& named : other->state_->option->results()) {
        if (is_beside_database(written, named))
          throw UsageError(
              fmt::format("{}: {} is a name that SQLite uses beside {}; write another one",
                          output->name(), written, named));
        const bool two_outputs = other->is_output() && will_be_one_file(written, named);
        if (!two_outputs && !are_one_regular_file(written, named)) continue;
        throw UsageError(fmt::format("{}: {} is the file that '{}' names ({}); write another one",
                                     output->name(), written, other->name(), named));
      }
    }
  }
}

std::string CommandLine::called() const {
  std::string path;
  for (const CommandLine* one = &innermost(); one != nullptr; one = one->state_->parent) {
    path = path.empty() ? one->name() : one->name() + " " + path;
  }
  return path;
}

std::vector<std::string> CommandLine::words() const {
  const CommandLine* root = this;
  while (root->state_->parent != nullptr) root = root->state_->parent;
  return root->state_->words;
}

void CommandLine::run(int argc, const char* const* argv) {
  state_->words.assign(argv + std::min(argc, 1), argv + argc);
  CLI::App& root = *state_->app;
  try {
    root.parse(words_of(*this, argc, argv));
  } catch (const CLI::CallForHelp&) {
    return fmt::print("{}", root.help());
  } catch (const CLI::CallForVersion& version) {
    return fmt::print("{}\n", version.what());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    throw UsageError(text.substr(0, text.find(':')) + ": its value is missing");
  } catch (const CLI::ParseError& error) {
    const CLI::App& app = *innermost().state_->app;
    const std::vector<std::string> left_over = root.remaining(true);
    const auto first = std::ranges::find_if(left_over, [](auto& one) { return one != "--"; });
    const std::string word = first == left_over.end() ? "" : *first;
    const bool behind_dashes = first != left_over.begin();
    const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                       app.get_require_subcommand_min() > 0 || word.starts_with("-");
    if (!extra || word.empty()) throw UsageError(error.what());
    const auto& refuse = innermost().state_->on_unknown_subcommand;
    if (refuse && !word.starts_with("-")) refuse(word);
    throw UsageError(explain_extras(app, word, behind_dashes));
  }
  const CommandLine& command = innermost();
  command.refuse_outputs_that_are_inputs();
  if (command.state_->work) command.state_->work();
}

}  // namespace colltree
