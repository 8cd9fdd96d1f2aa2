#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs every Debian package that colltree needs, as root or with sudo:
#   tools/install_dependencies.sh          to build and to tune (simulated and real)
#   tools/install_dependencies.sh test     also to run the default tests and checks
#   tools/install_dependencies.sh thorough also for the thorough and the long tests; Intel MPI of PyPI, into build/live
#   tools/install_dependencies.sh perf     also the peers that perf/ compares with
#   tools/install_dependencies.sh live     also all MPI libraries of PyPI, into build/live (tools/live_libraries.sh)
set -eu
packages=(g++ cmake ninja-build ca-certificates
  libfmt-dev libcli11-dev libsqlitecpp-dev libsqlite3-dev zlib1g-dev libxxhash-dev
  libsimgrid-dev libeigen3-dev help2man openmpi-bin libopenmpi-dev mpich libmpich-dev
  python3-matplotlib python3-pandas python3-plotly)
of_wheels=(python3-venv libhwloc-dev libfabric1)
test=(git lld procps iproute2 locales libgtest-dev libgmock-dev sqlite3 clang-format universal-ctags chromium gfortran valgrind
  python3-jsonschema python3-pytest python3-sklearn)
for extra in "$@"; do
  case "$extra" in
    test) packages+=("${test[@]}") ;;
    thorough) packages+=("${test[@]}" clang-tidy clang libclang-rt-dev quantum-espresso quantum-espresso-data
      slurmctld slurmd slurm-client munge dpkg-dev file python3-pip python3-setuptools
      python3-myst-parser furo "${of_wheels[@]}") ;;
    live) packages+=("${of_wheels[@]}") ;;
    perf) packages+=(libbenchmark-dev weka python3-sklearn) ;;
    *) echo "install_dependencies.sh: unknown set '$extra' (known: test, thorough, perf, live)" >&2; exit 2 ;;
  esac
done
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install_dependencies.sh: run it as root, or install sudo" >&2; exit 1; }
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
here=$(dirname "$0")
case " $* " in
  *' live '*) "$here/live_libraries.sh" "$here/../build/live" ;;
  # Without PyPI the tests of these are skipped.
  *' thorough '*) COLLTREE_LIVE=intel "$here/live_libraries.sh" "$here/../build/live" || echo "skipped: Intel MPI of PyPI" ;;
esac
