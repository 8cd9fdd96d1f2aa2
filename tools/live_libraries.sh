#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The MPI libraries that people get from PyPI, each in a virtual environment of its own, to build and test with:
#   tools/live_libraries.sh FOLDER               installs what is missing of tools/live_wheels.txt
#   tools/live_libraries.sh FOLDER COMMAND...    the same, then runs COMMAND with them in place of the installed ones
#   tools/live_libraries.sh build/live bash -c 'cmake -S . -B build/wheels ... && ctest --test-dir build/wheels -R legal'
# FOLDER/intel is the library that `ctest -L live` proves rules with, in build/live by itself.
# In place: FOLDER/bin stands first in PATH and holds mpicxx.openmpi, mpirun.mpich, mpicxx.intel, ... as Debian calls them.
#   COLLTREE_LIVE_OPENMPI, COLLTREE_LIVE_MPICH   other versions than the first in the list
#   COLLTREE_LIVE   install these names only: "intel mpi4py"
set -eu
[ $# -ge 1 ] || { echo "usage: live_libraries.sh FOLDER [COMMAND...]" >&2; exit 2; }
list=$(cd "$(dirname "$0")" && pwd)/live_wheels.txt
mkdir -p "$1/bin"
folder=$(cd "$1" && pwd)
shift
# install NAME VERSION WHEEL...
install() {
  local to=$folder/$1-$2
  ln -sfn "$1-$2" "$folder/$1"
  shift 2
  [ ! -e "$to/installed" ] || return 0
  rm -rf "$to"
  python3 -m venv "$to"
  "$to/bin/pip" install --quiet --disable-pip-version-check --no-deps "$@"
  touch "$to/installed"
  echo "installed $* in $to"
}
# version NAME [ANOTHER]: the first of the list, or another one of it.
version() {
  awk -v name="$1" -v another="${2-}" '$1 == name && (another == "" || $2 == another) { print $2; found = 1; exit }
    END { exit !found }' "$list" || { echo "live_libraries.sh: $list has no $1 ${2-}" >&2; exit 1; }
}
openmpi=$(version openmpi "${COLLTREE_LIVE_OPENMPI-}")
mpich=$(version mpich "${COLLTREE_LIVE_MPICH-}")
while read -r name number wheels; do
  case " ${COLLTREE_LIVE-$name} " in *" $name "*) ;; *) continue ;; esac
  case $name-$number in
    '#'* | -) ;;
    "openmpi-$openmpi" | "mpich-$mpich" | intel-* | mpi4py-*) read -ra words <<<"$wheels"; install "$name" "$number" "${words[@]}" ;;
  esac
done <"$list"
# Its tests come with its sources; for the standard's ABI, too, there is no wheel.
mpi4py=$(version mpi4py) python=$folder/mpi4py/bin
if [ -x "$python/pip" ] && [ ! -e "$folder/mpi4py/suite" ]; then
  "$python/pip" download --quiet --disable-pip-version-check --no-deps --no-binary mpi4py "mpi4py==$mpi4py" -d "$folder/mpi4py"
  tar -xzf "$folder/mpi4py/mpi4py-$mpi4py.tar.gz" -C "$folder/mpi4py"
  mv "$folder/mpi4py/mpi4py-$mpi4py/test" "$folder/mpi4py/suite"
fi
if [ -x "$python/pip" ] && [ -x "$folder/mpich/bin/mpicc_abi" ] && [ ! -e "$folder/mpi4py/abi" ]; then
  MPICC=$folder/mpich/bin/mpicc_abi CFLAGS=-O0 "$python/pip" install --quiet --disable-pip-version-check --no-deps \
    --target "$folder/mpi4py/abi" "$folder/mpi4py/mpi4py-$mpi4py.tar.gz"
fi
# shim PROGRAM NAME: runs the program under this name, where it is installed. Beyond one node Intel MPI needs a libfabric, of which
# there is no wheel.
shim() {
  rm -f "$folder/bin/$2"
  [ -x "$1" ] || return 0
  cat >"$folder/bin/$2" <<END && chmod +x "$folder/bin/$2"
#!/bin/sh
export I_MPI_ROOT="\${I_MPI_ROOT-$folder/intel}" I_MPI_FABRICS="\${I_MPI_FABRICS-shm}" I_MPI_PIN="\${I_MPI_PIN-0}"
PATH="${1%/*}:\$PATH" exec "$1" "\$@"
END
}
for library in openmpi mpich intel; do
  for program in mpicc mpicxx mpirun mpiexec; do shim "$folder/$library/bin/$program" "$program.$library"; done
done
shim "$folder/mpich/bin/mpicxx_abi" mpicxx_abi
[ $# -gt 0 ] || exit 0
# A witness sees messages that go over UCX.
export MPIR_CVAR_CH4_NETMOD=ucx PATH=$folder/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec "$@"
