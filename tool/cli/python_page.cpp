// SPDX-License-Identifier: BSD-3-Clause
#include "cli/python_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/process.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kLimitS = 600;
// Its first line names what this Python lacks, and is empty where it has everything; the page
// follows.
constexpr const char* kMain =
    "import importlib.util as util, sys\n"
    "folder = sys.argv.pop(1)\n"
    "if folder: sys.path.insert(0, folder)\n"
    "missing = [name for name in ('plotly', 'colltree') if util.find_spec(name) is None]\n"
    "if sys.version_info < (3, 11): missing = ['Python 3.11']\n"
    "print(', '.join(missing), flush=True)\n"
    "if missing: sys.exit()\n"
    "from colltree._report import main\n"
    "main()\n";

fs::path program() { return fs::read_symlink("/proc/self/exe"); }

// The folder share/colltree/python of the installed tree, or the one of the source tree.
std::string package_folder() {
  for (const fs::path& folder :
       {program().parent_path() / COLLTREE_PYTHON_FROM_BIN, fs::path(COLLTREE_PYTHON_SOURCE)}) {
    if (fs::exists(folder / "colltree/_report.py")) return folder.lexically_normal().string();
  }
  return "";
}

struct Answer {
  std::string lack;  // empty: there is a page
  std::string page;
};

Answer ask(const std::string& python, const std::function<Json()>& make_data) {
  ChildProcess child({python, "-c", kMain, package_folder()}, ChildProcess::Input::kPiped);
  std::optional<std::string> lack;
  std::string page;
  std::string error;
  const auto on_out = [&](std::string_view line) {
    if (lack) {
      page.append(line).append("\n");
      return ChildProcess::LineKind::kOther;
    }
    lack = line;
    if (lack->empty()) {
      const Json data = make_data();
      child.write(data.dump() + "\n");
    }
    return ChildProcess::LineKind::kProgress;  // the time that the data took is not Python's
  };
  const auto on_err = [&](std::string_view line) {
    if (error.empty() && says_something(line)) error = line;
  };
  child.read(
      kLimitS, [] { return false; }, on_out, on_err);
  const std::string failure = child.wait();
  if (!lack) {
    const bool starts = !error.starts_with(kCannotStartText);
    return {starts ? fmt::format("{} that starts ({})", python, failure) : "python3", ""};
  }
  if (failure.empty()) return {*lack, page};
  constexpr std::string_view kOurs = "colltree: ";
  if (error.starts_with(kOurs)) throw Error(error.substr(kOurs.size()));
  throw Error(fmt::format("the Python package cannot write the page ({}): {}", failure, error));
}

}  // namespace

std::string page_by_python(const std::function<Json()>& make_data) {
  std::string lack;
  // The python3 of the PATH need not be the one that the system's packages belong to.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const Answer answer = ask(python, make_data);
    if (answer.lack.empty()) return answer.page;
    if (lack.empty()) lack = answer.lack;
  }
  throw Error(fmt::format(
      "the page needs Python 3.11 with plotly, and {} is missing; install them (Debian: "
      "python3-plotly), or copy the profile to a machine that has them; --json needs no Python",
      lack));
}

}  // namespace colltree::cli
