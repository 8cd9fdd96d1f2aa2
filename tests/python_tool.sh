# SPDX-License-Identifier: BSD-3-Clause
# For the tests of scripts in tools/, run as run.sh BUILD SOURCE, to be sourced: a scratch folder, in which the test begins.
build=$1 source=$2
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
die() { echo "FAILED: $*" >&2; exit 1; }
