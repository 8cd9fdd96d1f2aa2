#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of the Python package: run.sh COLLTREE [ARGUMENTS OF PYTEST]. PYTHON names another interpreter. 77: a library is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-python3}
"$python" -c 'import sys, matplotlib, pandas, pytest; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  { echo "skipped: no Python 3.11 with pandas, matplotlib and pytest"; exit 77; }
export COLLTREE_PROGRAM=$1 PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1
MPLCONFIGDIR=$(mktemp -d)
export MPLCONFIGDIR
shift
"$python" -m pytest -q -p no:cacheprovider --basetemp="$MPLCONFIGDIR/pytest" tests "$@"
code=$?
rm -rf "$MPLCONFIGDIR"
exit $code
