#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD FLAVOUR: a kit made, built and run with nothing of colltree but what is in it; imported, it is what
# the full tool measures. Then what goes wrong on a cluster.
set -u
build=$1
flavour=$2
colltree=$build/colltree
work=$(mktemp -d)
[ -n "${KEEP:-}" ] && echo "$work" || trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
case $flavour in
  openmpi) launcher='mpirun.openmpi --oversubscribe --mca btl vader,self --mca mpi_yield_when_idle 1 -np {ranks}' ;;
  mpich) launcher='mpirun.mpich -launcher fork -np {ranks}' ;;
esac

die() { echo "FAILED: $*" >&2; exit 1; }
ok() { "$@" >out 2>err || { cat out err >&2; die "exit code $?: $*"; }; }
# refuses CODE TEXT COMMAND...: the last words on standard error, make's own apart.
refuses() {
  local code=$1 text=$2
  shift 2
  "$@" >out 2>err
  local got=$?
  [ $got -eq "$code" ] && [[ $(grep -v '^make: ' err) == *"$text" ]] || { cat err >&2; die "exit code $got, want $code and: $text"; }
}
# The key of every cell of a profile, without its times. A kit has no rows in shared memory: where its ranks will lie is not known.
cells() { "$colltree" export "$1" -o - | tail -n +2 | cut -d, -f1-9 | grep -v ',shared_memory' | LC_ALL=C sort -u; }
same_cells() { diff <(cells "$1") <(cells "$2") || die "$3"; }
# On a loaded machine a cell may fail, and is measured again: what failed is forgotten.
by_kit() {
  local try
  for try in {1..20}; do
    ok ./colltree-kit --launcher "$launcher" --output "$1"
    grep -q '"cannot_run":false' "$1" || return
    sed -i '/"cannot_run":false/d' "$1"
  done
  die "cells fail again and again: $try times"
}
by_full_tool() {
  local file=$1 try
  shift
  for try in {1..20}; do
    ok "$colltree" measure "$@" --launcher "$launcher" --retry failed -o "$file"
    grep -q ' 0 failed' out && return
  done
  die "cells fail again and again: $try times"
}

grid=(--communicator-sizes 2 --message-sizes 0,20K --segment-sizes 0,8K --samples 1..2
      --cell-budget 1 --foreign-load 0)
portable=(--collective bcast,allreduce "${grid[@]}")
own=(--source "$flavour" --collective bcast,alltoall "${grid[@]}")

ok "$colltree" measure kit "${portable[@]}" -o kit.tar.gz
ok "$colltree" measure kit "${portable[@]}" -o again.tar.gz
cmp kit.tar.gz again.tar.gz || die "the same kit has other bytes"
tar xzf kit.tar.gz && cd colltree-kit || die "no kit"
! grep -rqE '#include <(fmt|zlib|sqlite|SQLiteCpp|Eigen|xxhash)' libs tool || die "the kit needs more than an MPI library"
compiler=mpicxx.$flavour
command -v ccache >/dev/null && compiler="ccache $compiler"
ok make -s -j2 OPTIMISE=-O0 MPICXX="$compiler"

# Portable algorithms: the cells of the full tool, and their system.
by_kit colltree-kit.results
by_full_tool full.db "${portable[@]}"
ok "$colltree" import colltree-kit.results -o kit.db
grep -q "^colltree-kit.results (kit of colltree .*, $flavour-" out || die "import says $(cat out)"
same_cells full.db kit.db "other cells than the full tool's"
ok "$colltree" show kit.db
grep -q '"driver":"kit"' out || die "the profile does not say where its timings are from"
gzip -k colltree-kit.results
ok "$colltree" import colltree-kit.results.gz -o kit.db
grep -q 'nothing changed' out || die "imported twice: $(cat out)"

# A kill in the middle of a line: the same command continues and ends with the same cells.
lines=$(wc -l <colltree-kit.results)
head -n $((lines / 2)) colltree-kit.results >cut.results && printf '@colltree {"event":"mea' >>cut.results
cp cut.results short.results
ok "$colltree" import short.results -o short.db
grep -q 'not measured yet: the same command continues' out || die "import says $(cat out)"
by_kit cut.results
ok "$colltree" import cut.results -o cut.db
same_cells full.db cut.db "other cells after a kill"
[ "$(grep -c '"event":"measured"' cut.results)" -eq "$(cells full.db | wc -l)" ] || die "cells were measured twice"

# The library's own algorithms, by the same programs.
ok "$colltree" measure kit "${own[@]}" -o own.tar.gz
tar xzf own.tar.gz --strip-components=1 colltree-kit/plan
by_kit own.results
by_full_tool own_full.db "${own[@]}"
ok "$colltree" import own.results -o own.db
same_cells own_full.db own.db "other cells of $flavour's own algorithms"

# A cell in which the job dies is tried twice and recorded; the others are there.
ok "$colltree" measure kit --collective bcast --communicator-sizes 2 --message-sizes 8 --methods linear,binomial "${grid[@]:6}" -o two.tar.gz
tar xzf two.tar.gz --strip-components=1 colltree-kit/plan
COLLTREE_TEST_ABORT='bcast 2 8 linear 0' ok ./colltree-kit --launcher "$launcher" --output two.results
[ "$(grep -c '"begun","cell":"bcast 2 8 linear 0"' two.results)" -eq 2 ] || die "not tried twice"
ok "$colltree" import two.results -o two.db
ok "$colltree" show two.db
grep -q '1 ok, 1 failed' out || die "the failed cell: $(cat out)"

# What people do wrong.
usage="usage: colltree-kit --launcher 'mpirun -np {ranks}' [--output FILE]"
refuses 2 "colltree-kit: --launcher: name the command that starts jobs, such as 'mpirun -np {ranks}'
$usage" ./colltree-kit
refuses 2 "colltree-kit: unknown option '--launch'
$usage" ./colltree-kit --launch x
refuses 2 "colltree-kit: --output: needs a value
$usage" ./colltree-kit --output
refuses 1 "colltree-kit: the launcher started 1 ranks that see each other, 2 were asked for: use {ranks} in --launcher, and the launcher of the library that the kit was built with" \
  ./colltree-kit --launcher "${launcher/\{ranks\}/1}" --output one.results
refuses 1 "was measured with the launcher '$launcher', not 'other {ranks}'; give another file by --output" \
  ./colltree-kit --launcher 'other {ranks}' --output two.results
refuses 1 "no/such/folder/x: cannot write: No such file or directory" ./colltree-kit --launcher "$launcher" --output no/such/folder/x
sed -i '5s/.*/colltree-plan 1/' plan
refuses 1 "plan:1: expected colltree-plan 2, got 'colltree-plan 1'" ./colltree-kit --launcher "$launcher" --output x.results
other=$([ "$flavour" = mpich ] && echo openmpi || echo mpich)
ok "$colltree" measure kit --source "$other" --collective bcast "${grid[@]}" -o other.tar.gz
tar xzf other.tar.gz --strip-components=1 colltree-kit/plan
"./colltree-kit" --launcher "$launcher" --output x.results 2>err && die "a kit for another library runs"
grep -q "^colltree-kit: the kit is for $other's own algorithms, and this is $flavour-" err || die "$(cat err)"
refuses 2 "the kit: g++ is no MPI compiler of C++20 (GCC 11, Clang 16 or newer); load another module, or say make MPICXX=..., make OMPI_CXX=g++-12 or make MPICH_CXX=g++-12" make -s -B MPICXX=g++ .compiler

make -s clean && [ ! -e colltree-kit ] && [ -s colltree-kit.results ] || die "make clean takes away what was measured"

# And where colltree is.
refuses 2 "colltree: --communicator-sizes: auto needs the machine that measures; write the sizes, 2..64
Try 'colltree measure kit --help'." "$colltree" measure kit --communicator-sizes auto --message-sizes 1 -o x.tar.gz
refuses 2 "colltree: unknown option '--launcher'
Try 'colltree measure kit --help'." "$colltree" measure kit --launcher x -o x.tar.gz
refuses 1 "colltree: no/x.tar.gz: cannot write: No such file or directory" "$colltree" measure kit "${portable[@]}" -o no/x.tar.gz
[ ! -e x.tar.gz ] || die "a kit was left behind"
refuses 2 "colltree: own.results: the results of a kit name their source and sizes themselves; of these options only --system applies
Try 'colltree import --help'." "$colltree" import own.results --collective bcast -o x.db
refuses 1 "colltree: p.csv:1: expected colltree-kit-results 1, got 'a,b'" bash -c 'echo a,b >p.csv; "$1" import p.csv --format kit -o x.db' - "$colltree"
echo ok
