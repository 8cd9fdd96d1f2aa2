#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh NPM: the packages of package-lock.json into node_modules, once for all build trees that
# ask at the same time. No package's own scripts run.
set -eu
cd "$(dirname "$0")"
exec 9> .install.lock
flock 9
stamp=node_modules/.package-lock.json
[ "$stamp" -nt package-lock.json ] && [ "$stamp" -nt package.json ] && exit 0
"$1" ci --ignore-scripts --no-audit --no-fund --loglevel=error \
  || { echo "web/report: npm ci failed; without a registry configure with -DCOLLTREE_REPORT=OFF" >&2; exit 1; }
touch "$stamp"
