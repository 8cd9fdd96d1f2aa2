// SPDX-License-Identifier: BSD-3-Clause
#include "cli/python_page.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/process.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kLimitS = 600;
constexpr const char* kProbe =
    "import importlib.util as util, sys\n"
    "if sys.argv[1]: sys.path.insert(0, sys.argv[1])\n"
    "needed = ['numpy', 'pandas', 'matplotlib', 'plotly', 'colltree']\n"
    "missing = [name for name in needed if util.find_spec(name) is None]\n"
    "print('Python 3.11' if sys.version_info < (3, 11) else ', '.join(missing))\n";
constexpr const char* kMain =
    "import sys\n"
    "folder = sys.argv.pop(1)\n"
    "if folder: sys.path.insert(0, folder)\n"
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

// The modules that this Python lacks; empty where it has them all.
std::string lack_of(const std::string& python, const std::string& folder) {
  try {
    const CommandResult said = run_command({python, "-c", kProbe, folder}, kLimitS);
    if (!said.failure.empty()) return python + " that starts (" + said.failure + ")";
    return said.output.substr(0, said.output.find('\n'));
  } catch (const Error&) {
    return "python3";
  }
}

}  // namespace

PagePython::PagePython() : folder_(package_folder()) {
  std::string lack;
  // The python3 of the PATH need not be the one that the system's packages belong to.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    python_ = python;
    const std::string missing = lack_of(python_, folder_);
    if (missing.empty()) return;
    if (lack.empty()) lack = missing;
  }
  throw Error(fmt::format(
      "the page needs Python 3.11 with pandas, matplotlib and plotly, and {} is missing; install "
      "them (Debian: python3-pandas python3-matplotlib python3-plotly), or copy the profile to a "
      "machine that has them; --json needs no Python",
      lack));
}

std::string PagePython::page(const Json& data) const {
  ChildProcess child({python_, "-c", kMain, folder_}, ChildProcess::Input::kPiped);
  child.write(data.dump() + "\n");
  std::string page;
  std::string error;
  child.read_all(
      kLimitS, [&](std::string_view line) { page.append(line).append("\n"); },
      [&](std::string_view line) {
        if (error.empty() && says_something(line)) error = line;
      });
  const std::string failure = child.wait();
  if (failure.empty()) return page;
  constexpr std::string_view kOurs = "colltree: ";
  if (error.starts_with(kOurs)) throw Error(error.substr(kOurs.size()));
  throw Error(fmt::format("the Python package cannot write the page ({}): {}", failure, error));
}

}  // namespace colltree::cli
