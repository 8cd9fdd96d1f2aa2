#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of the Python package, all or those that are named: run.sh COLLTREE [ARGUMENTS OF PYTEST]. PYTHON names another interpreter. 77: a library is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
# The python3 of the PATH need not be Debian's, whose packages tools/install_dependencies.sh installs.
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  "$python" -c 'import sys, matplotlib, pandas, pytest; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "skipped: no Python 3.11 with pandas, matplotlib and pytest"; exit 77; }
export COLLTREE_PROGRAM=$1 PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1
MPLCONFIGDIR=$(mktemp -d)
export MPLCONFIGDIR
shift
"$python" -m pytest -q -p no:cacheprovider --basetemp="$MPLCONFIGDIR/pytest" "${@:-tests}"
code=$?
rm -rf "$MPLCONFIGDIR"
exit $code
