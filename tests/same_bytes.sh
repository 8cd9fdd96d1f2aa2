#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a colltree program makes of the stored timings, by each command that reads no clock: one file for each command line.
#   tests/same_bytes.sh PROGRAM FOLDER    writes them to FOLDER, which must not be there yet
#   tests/same_bytes.sh --test PROGRAM    does so twice: they are the same whatever the locale, the time zone, the umask, the
#                                                number of cores, the folder and the addresses are
# Two programs make the same when `diff -r FOLDER OTHER` says nothing: of other compilers, other Debian releases
# (docs/results/reliability.md). Exit codes and messages are part of what is written. SMALL=quadtree in the environment: models
# of one kind beside the optimal are emitted, and what takes longest is left out.
set -u
[ $# -eq 2 ] || { echo "usage: same_bytes.sh PROGRAM FOLDER" >&2; exit 2; }
if [ "$1" = --test ]; then
  export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 SMALL=quadtree
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  die() { echo "FAILED: $*" >&2; exit 1; }
  localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>"$work/err" || [ -f "$work/de_DE.UTF-8/LC_NUMERIC" ] || die "no locale: $(cat "$work/err")"
  (umask 022; LC_ALL=C TZ=UTC "$0" "$2" "$work/one") || die "the first run"
  mkdir "$work/another-folder"
  fixed=()
  setarch -R true 2>/dev/null && fixed=(setarch -R)
  (umask 077; export LOCPATH=$work; export LC_ALL=de_DE.UTF-8 TZ=Asia/Kolkata TMPDIR="$work/another-folder" MALLOC_PERTURB_=165
   taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "${fixed[@]}" "$0" "$2" "$work/two") || die "the second run"
  diff -rq "$work/one" "$work/two" || { diff -r "$work/one" "$work/two" | cut -c1-300 | head -n 20; die "other bytes"; }
  echo "ok: $(find "$work/one" -type f | wc -l) results"
  exit
fi
program=$(realpath "$1")
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir "$2" || exit 1
results=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$source"/tests/campaign/grig_tiny-3.32.csv "$source"/tests/data/*.csv.gz .
cp -r "$source"/tests/data/imports "$source"/tests/data/models .
cmake -E tar xf "$source"/c45/tests/data/c45.tar.xz && mv c45/public . || exit 1

count=0
# keep FILE...: puts away what the last command wrote.
keep() { local file; for file; do [ ! -e "$file" ] || cp "$file" "$results/$number-$(basename "$file")"; done; }
# It is a result too when colltree refuses. Left out: progress, which has rates in it, in a report when
# its timings were imported, and where this is done.
run() { run_by "$program" "$@"; }
run_by() {
  local of=$1
  shift
  printf -v number %03d $((count += 1))
  "$of" "$@" >out 2>err
  code=$?
  { echo "colltree${of#"$program"} $*"; echo "exit code $code"; sed -E 's/("started_utc": ?")[^"]*/\1/' out
    tr '\r' '\n' <err | grep -avE ' [0-9]+/[0-9]+ [a-z]+ \([0-9]+ %\)'; } | sed "s#$work#.#g" >"$results/$number"
}
made() { rm -f "${@: -1}"; run "$@"; keep "${@: -1}"; }

profile() { rm -f "$1"; run import "${@:2}" -o "$1"; run export "$1" -o "$1.csv"; keep "$1.csv"; }
profile grig.db grig_tiny-3.32.csv
profile fugaku.db fugaku_fjmpi_8coll.csv.gz --message-sizes total
profile orfeo.db orfeo_epyc_openmpi_bcast_reduce.csv.gz --split-placements
profile tuolumne.db tuolumne_alltoall_session1_reps.csv.gz
# Options must not repeat what a file says itself, so each file is imported in three ways; one of them is right.
for file in $(find imports -type f ! -name '*.expected' ! -name '*.malformed' ! -name README.md | LC_ALL=C sort); do
  profile other.db "$file" --system other --mpi openmpi-4.1.5
  [ -z "${SMALL-}" ] || continue
  profile other.db "$file" --system other
  profile other.db "$file" --system other --mpi openmpi-4.1.5 --communicator-sizes 8 --collective allreduce
done

# all COLLECTIVE PROFILE [OPTION...]
all() {
  local collective=$1 db=$2 kind target model
  shift 2
  run show "$db" "$@" --map --penalty --collective "$collective"
  run show "$db" "$@" --parameters
  run show "$db" --map "$@" --collective "$collective" --json
  made fit quadtree "$db" "$@" --collective "$collective" -o quadtree.json
  made fit quadtree "$db" "$@" --collective "$collective" --parameters max_depth=3 -o quadtree3.json
  made fit kdtree "$db" "$@" --collective "$collective" -o kdtree.json
  made fit c45 "$db" "$@" --collective "$collective" --details -o c45.json
  made fit c45 "$db" "$@" --collective "$collective" --parameters weight=40,confidence=5,parity=true,log2_message_size=true -o c45-5.json
  made fit c45-rules "$db" "$@" --collective "$collective" -o c45-rules.json
  made fit optimal "$db" "$@" --collective "$collective" --parameters leaves=6 -o optimal.json
  made fit optimal "$db" "$@" --collective "$collective" --parameters leaves=auto -o auto.json
  for model in quadtree quadtree3 kdtree c45 c45-5 c45-rules optimal auto; do
    run evaluate $model.json --on "$db" "$@" --json
  done
  [ -n "${SMALL-}" ] || run evaluate compare "$db" "$@" --collective "$collective" -o -
  run report "$db" "$@" --collective "$collective" --json
  for model in optimal ${SMALL:-c45 quadtree}; do
    for target in $targets; do made emit "$target" $model.json --on "$db" "$@" -o "$model.$target"; done
  done
}
targets=$("$program" emit --help | sed -n '/^Targets:/,/^$/s/^  \([a-z0-9.-]*\)  *.*/\1/p')
[ "$(wc -w <<<"$targets")" -ge 15 ] || { echo "same_bytes.sh: no targets in emit --help: $targets" >&2; exit 1; }
all bcast grig.db
[ -n "${SMALL-}" ] || all reduce grig.db
[ -n "${SMALL-}" ] || all alltoall tuolumne.db
[ -n "${SMALL-}" ] || for system in $("$program" show orfeo.db --json | grep -oE '"(name|system)": *"[^"]+"' | cut -d'"' -f4 | sort -u | head -n 2); do
  all bcast orfeo.db --system "$system"
done
made fit c45 grig.db --collective bcast,reduce,alltoall --details -o both.json
for collective in allreduce allgather; do run evaluate compare fugaku.db --collective $collective --fit quadtree; done
for model in $(find models -name '*.json' | LC_ALL=C sort); do run show "$model"; made emit cdt "$model" -o model.cdt; done
for stem in $(find public -name '*.names' | LC_ALL=C sort); do
  stem=${stem%.names}
  run_by "$program-c45" -f "$stem" -u
  run_by "$program-c45" -f "$stem" --rules
  [ -n "${SMALL-}" ] || run_by "$program-c45" -f "$stem" -s -p -g
done
run tune --dry-run --batch='slurm -N4' --mpi openmpi --communicator-sizes 2..16 --message-sizes 1..1K:x2 --system one -o planned
run measure methods --json
echo "ok: $count command lines, $(find "$results" -type f | wc -l) results"
