#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Style and structure: clang-format, the include order, the lists of docs/architecture.md, the bounds of size,
# words that are not used, links of the pages, places of planted bugs, and (with "tidy") clang-tidy over BUILD's
# compile database. Exit code 1 if anything is not as it should be.
#   tools/check.sh            format, layers, the lists of "How to add", sizes, words, links
#   tools/check.sh tidy BUILD clang-tidy as well; BUILD without COLLTREE_UNITY: build/nompi
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
listed=$(git ls-files '*.h' '*.hpp' '*.cpp' '*.c') || { echo "check.sh: git does not list the sources: run it in a clone" >&2; exit 1; }
mapfile -t files < <(grep -v '^tests/data/' <<<"$listed")
# The sources follow version 14 (Debian 12); others put some lines elsewhere.
case "$(clang-format --version)" in
  *" version 14."*) printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 40 clang-format --dry-run --Werror || bad=1 ;;
  *) echo "check.sh: the format is not checked: this is not clang-format 14; tools/debian_chroot.sh bookworm FOLDER tools/check.sh checks it" ;;
esac
tools/check_layers.sh || bad=1
tools/check_lists.sh || bad=1
tools/check_size.sh || bad=1
tools/check_words.sh || bad=1
tools/check_docs.py || bad=1
for bug in tests/planted/bugs/*.patch; do
  patch -p1 --dry-run --quiet --force --fuzz=0 -i "$bug" >/dev/null || { echo "$bug: its place is gone: write it anew"; bad=1; }
done
if [ "${1:-}" = tidy ]; then
  mapfile -t sources < <(grep -E '^(libs|tool|c45/(engine|release8))/.*\.cpp$|^c45/main.cpp$' <<<"$listed" | grep -v -e _test.cpp -e /rank/)
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p "$2" --quiet --extra-arg=-Wno-unknown-warning-option || bad=1
fi
exit $bad
