// SPDX-License-Identifier: BSD-3-Clause
#include "rank/control_variables.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/not_copied.h"
#include "base/text.h"
#include "coll/described_values.h"
#include "rank/asked_settings.h"

namespace colltree::rank {

namespace {

// MPI_T's information about a variable; `index` is -1 when there is no such variable.
class VariableInfo {
 public:
  explicit VariableInfo(const std::string& variable) {
    if (MPI_T_cvar_get_index(variable.c_str(), &index) != MPI_SUCCESS) {
      index = -1;
      return;
    }
    ask(nullptr);
  }

  std::string description() {
    if (index < 0) return "";
    std::string text(static_cast<std::size_t>(std::max(description_length_, 1)), '\0');
    ask(text.data());
    return text.c_str();
  }

  int index = -1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;

 private:
  // `description`: null, or room for the number of bytes of the previous answer, its end included.
  void ask(char* description) {
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    int name_length = 0;
    MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &names, description,
                        &description_length_, &bind, &scope);
  }

  int description_length_ = 0;
};

// An open handle on a variable of one integer; `handle` is null when there is no such thing (a
// range of MPICH is two).
struct Handle : NotCopied {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;

  explicit Handle(const std::string& variable) {
    const VariableInfo info(variable);
    if (info.index < 0) return;
    names = info.names;
    if (info.type != MPI_INT && info.type != MPI_UNSIGNED) return;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(info.index, nullptr, &handle, &count) != MPI_SUCCESS) {
      handle = MPI_T_CVAR_HANDLE_NULL;
    } else if (count != 1) {
      MPI_T_cvar_handle_free(&handle);
      handle = MPI_T_CVAR_HANDLE_NULL;
    }
  }
  ~Handle() {
    if (handle != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle);
  }
};

// Open MPI's variable system, of the process itself: where "coll_tuned_x" is stored, of any
// component.
void* stored(const std::string& variable) {
  using Find = int(const char*, const char*, const char*, const char*);
  using GetValue = int(int, const void*, void*, void*);
  auto* find = reinterpret_cast<Find*>(dlsym(RTLD_DEFAULT, "mca_base_var_find"));
  auto* get_value = reinterpret_cast<GetValue*>(dlsym(RTLD_DEFAULT, "mca_base_var_get_value"));
  constexpr std::string_view kPrefix = "coll_";
  const std::size_t end = variable.find('_', kPrefix.size());
  if (find == nullptr || get_value == nullptr || !variable.starts_with(kPrefix) ||
      end == std::string::npos)
    return nullptr;
  const std::string component = variable.substr(kPrefix.size(), end - kPrefix.size());
  const int index = find("ompi", "coll", component.c_str(), variable.c_str() + end + 1);
  void* place = nullptr;
  if (index < 0 || get_value(index, &place, nullptr, nullptr) != 0) return nullptr;
  return place;
}

// mca_base_var_source_t, the same in 4.1 and 5.0.
constexpr std::array<std::string_view, 6> kSources = {
    "", "the command line", "the environment", "the file", "the program", "an override"};

std::string openmpi_source(const std::string& name) {
  using Find = int(const char*, int*);
  using GetValue = int(int, const void*, int*, const char**);
  static auto* const find =
      reinterpret_cast<Find*>(dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name"));
  static auto* const get_value =
      reinterpret_cast<GetValue*>(dlsym(RTLD_DEFAULT, "mca_base_var_get_value"));
  int index = -1;
  if (find == nullptr || get_value == nullptr || find(name.c_str(), &index) != 0) return "";
  void* place = nullptr;
  int source = 0;
  const char* file = nullptr;
  if (get_value(index, &place, &source, &file) != 0) return "";
  if (source < 0 || static_cast<std::size_t>(source) >= kSources.size()) return "";
  const std::string_view word = kSources[static_cast<std::size_t>(source)];
  return file == nullptr ? std::string(word) : concat(word, " ", file);
}

// MPICH reads a variable under three names; the last of these that is set counts.
std::optional<std::string> mpich_environment(std::string_view name) {
  constexpr std::string_view kPrefix = "MPIR_CVAR_";
  std::optional<std::string> value;
  for (const std::string_view prefix : {"MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"}) {
    const std::string spelled = concat(prefix, name.substr(kPrefix.size()));
    if (const char* text = std::getenv(spelled.c_str()); text != nullptr) value = text;
  }
  return value;
}

}  // namespace

ControlVariables::ControlVariables() {
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
}

ControlVariables::~ControlVariables() { MPI_T_finalize(); }

std::optional<int> ControlVariables::read(const std::string& variable) const {
  const Handle handle(variable);
  int value = 0;
  if (handle.handle == MPI_T_CVAR_HANDLE_NULL ||
      MPI_T_cvar_read(handle.handle, &value) != MPI_SUCCESS)
    return std::nullopt;
  return value;
}

std::optional<std::string> ControlVariables::read_text(const std::string& variable) const {
  if (const auto value = read(variable)) return std::to_string(*value);
  const VariableInfo info(variable);
  const bool flag = info.type == MPI_C_BOOL;
  if (info.index < 0 || (info.type != MPI_CHAR && !flag)) return std::nullopt;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(info.index, nullptr, &handle, &count) != MPI_SUCCESS)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(std::max(count, 0)) + 1, '\0');
  const int code = MPI_T_cvar_read(handle, text.data());
  MPI_T_cvar_handle_free(&handle);
  if (code != MPI_SUCCESS) return std::nullopt;
  if (flag) return text[0] == 0 ? "0" : "1";
  return text.c_str();
}

std::vector<std::string> ControlVariables::names(std::string_view prefix) const {
  std::vector<std::string> found;
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[512] = "";
    int length = sizeof name;
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    if (MPI_T_cvar_get_info(i, name, &length, &verbosity, nullptr, nullptr, nullptr, nullptr, &bind,
                            &scope) != MPI_SUCCESS)
      continue;
    if (std::string_view(name).starts_with(prefix)) found.emplace_back(name);
  }
  return found;
}

std::map<std::string, int> ControlVariables::read_all(std::string_view prefix) const {
  std::map<std::string, int> values;
  for (const std::string& name : names(prefix)) {
    if (const auto value = read(name)) values[name] = *value;
  }
  return values;
}

std::string ControlVariables::write(const std::string& variable, int value) {
  const Handle handle(variable);
  if (handle.handle == MPI_T_CVAR_HANDLE_NULL)
    return concat("this library has no control variable ", variable);
  if (MPI_T_cvar_write(handle.handle, &value) == MPI_SUCCESS) return "";
  if (void* place = stored(variable); place != nullptr) {
    std::memcpy(place, &value, sizeof value);
    return "";
  }
  return concat(variable, " cannot be set in a running job");
}

bool ControlVariables::write_flag(const std::string& variable, bool value) {
  void* place = stored(variable);
  return place != nullptr && std::exchange(*static_cast<bool*>(place), value);
}

std::map<int, std::string> ControlVariables::value_names(
    const std::string& variable, std::span<const std::string_view> known) const {
  const Handle handle(variable);
  if (handle.handle == MPI_T_CVAR_HANDLE_NULL)
    return described_range(VariableInfo(variable).description());
  if (handle.names == MPI_T_ENUM_NULL)
    return described_values(VariableInfo(variable).description(), known);
  std::map<int, std::string> names;
  int count = 0;
  int length = 0;
  if (MPI_T_enum_get_info(handle.names, &count, nullptr, &length) != MPI_SUCCESS) return names;
  for (int i = 0; i < count; ++i) {
    char text[256] = "";
    int value = 0;
    length = sizeof text;
    if (MPI_T_enum_get_item(handle.names, i, &value, text, &length) == MPI_SUCCESS)
      names[value] = text;
  }
  return names;
}

std::optional<int> ControlVariables::value_number(const std::string& variable,
                                                  std::string_view name) const {
  for (const auto& [value, text] : value_names(variable, std::span(&name, 1))) {
    if (text == name) return value;
  }
  return std::nullopt;
}

namespace {

// Open MPI says which parameter files it reads.
std::vector<protocol::LibraryVariable> asked_in_files(const ControlVariables& variables) {
  std::vector<protocol::LibraryVariable> asked;
  const std::string files = variables.read_text("mca_base_param_files").value_or("");
  for (const std::string_view file : split(files, files.find(',') < files.size() ? ',' : ':')) {
    std::ifstream stream{std::string(file)};
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    std::ranges::move(asked_in_file(text, file), std::back_inserter(asked));
  }
  return asked;
}

// The spelling of the user is kept. The environment comes first because it takes precedence over
// files.
std::vector<protocol::LibraryVariable> all_asked(const ControlVariables& variables,
                                                 bool (*takes)(std::string_view name)) {
  std::vector<protocol::LibraryVariable> asked = asked_in_environment(takes);
  for (protocol::LibraryVariable& variable : asked_in_files(variables)) {
    const bool is_hidden =
        std::ranges::count(asked, variable.name, &protocol::LibraryVariable::name) > 0;
    if (takes(variable.name) && !is_hidden) asked.push_back(std::move(variable));
  }
  return asked;
}

// The names that unread_text wants.
std::vector<std::string> names_of_library(const ControlVariables& variables) {
  std::vector<std::string> names = variables.names("coll_");
  return names.empty() ? variables.names("MPIR_CVAR_") : names;
}

// Open MPI goes on with the default where it refuses a value, MPICH ends the job.
void note_refused(const ControlVariables& variables,
                  const std::vector<protocol::LibraryVariable>& asked,
                  protocol::LibraryVariable& variable) {
  const auto found = std::ranges::find_if(asked, [&](const protocol::LibraryVariable& candidate) {
    return variable_of(candidate.name) == variable.name;
  });
  if (found == asked.end() || !variables.read(variable.name)) return;
  std::string trouble = refused_text(found->value, variables.value_names(variable.name, {}));
  if (trouble.empty()) return;
  variable = *found;
  variable.name = variable_of(found->name);
  variable.trouble = std::move(trouble);
}

}  // namespace

std::vector<protocol::LibraryVariable> asked_settings(const ControlVariables& variables) {
  std::vector<protocol::LibraryVariable> asked = all_asked(variables, matters_to_collectives);
  const std::vector<std::string> known = names_of_library(variables);
  for (protocol::LibraryVariable& variable : asked)
    variable.trouble = unread_text(variable.name, known);
  return asked;
}

std::vector<protocol::LibraryVariable> set_variables(const ControlVariables& variables) {
  std::vector<protocol::LibraryVariable> found;
  const auto asked = all_asked(variables, [](std::string_view) { return true; });
  const std::vector<std::string> known = names_of_library(variables);
  for (const std::string& name : known) {
    if (!name.starts_with("coll_")) continue;
    const std::string source = openmpi_source(name);
    if (source.empty() && !name.ends_with("_priority")) continue;
    auto value = variables.read_text(name);
    if (!value) continue;
    found.push_back({name, *std::move(value), source});
    note_refused(variables, asked, found.back());
  }
  for (const std::string& name : known) {
    const auto value =
        name.starts_with("MPIR_CVAR_") ? mpich_environment(name) : std::optional<std::string>();
    if (value) found.push_back({name, *value, "the environment"});
  }
  for (protocol::LibraryVariable variable : asked) {
    variable.trouble = unread_text(variable.name, known);
    if (!variable.trouble.empty()) found.push_back(std::move(variable));
  }
  return found;
}

}  // namespace colltree::rank
