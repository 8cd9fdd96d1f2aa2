#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# sweep.sh BUILD SOURCE PART PARTS: commands x odd data (odd_profiles.sh) x hostile surroundings. Whatever is asked, the
# command ends by itself, says in one line what is wrong, and loses no result with exit code 0.
# Every command meets every data set; of the surroundings one in turn, with COLLTREE_TEST_FULL=1 each. PART of PARTS
# (from 0): the data sets are dealt out, so that several run side by side; part `alone`: the commands that ask no profile.
set -u
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
colltree=$1/colltree
source=$2 part=$3 parts=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

failures=0
die() { echo "FAILED: $*" >&2; exit 1; }
wrong() { failures=$((failures + 1)); echo "WRONG: $1: ($surrounding) colltree ${words[*]}" >&2; head -c 1000 err >&2; }

# shellcheck source=tests/output/odd_profiles.sh
. "$source/tests/output/odd_profiles.sh"
odd_profiles
cp "$source/tests/campaign/grig_tiny-3.32.csv" good.csv || die "no timings"
"$colltree" import good.csv -o good.db >out 2>&1 || die "$(cat out)"
"$colltree" fit quadtree good.db --collective bcast -o good.json >out 2>&1 || die "$(cat out)"
# A language whose numbers have a comma.
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>err || [ -f "$work/de_DE.UTF-8/LC_NUMERIC" ] || die "no locale: $(cat err)"
mkdir empty

# P: the profile. M: a model of it where there is one, else of another. C: its collective. O: a file that is made.
commands="
show P
show P --json
show P --map --penalty --collective C
show P --parameters
map P --collective C
map P --collective C --json
map P --collective C -o O
predict P --collective C --communicator-sizes 8,64 --message-sizes 1K
fit quadtree P --collective C -o O
fit kdtree P --collective C --print-tree -o O
fit c45 P --collective C --print-tree -o O
fit c45-rules P --collective C -o O
fit optimal P --collective C --leaves 3 -o O
fit optimal P --collective C --leaves auto -o O
evaluate M --on P
evaluate M --on P --json
compare P --collective C --no-times
compare P --collective C --fit quadtree --no-times --csv
cliffs M --on P
guidelines P M
portfolio P
calibrate P --no-check -o O
smooth M --on P --within 1% -o O
report P -o O
plot map P --collective C -o O.svg
plot penalty P --collective C -o O.svg
plot times P --collective C -o O.svg
plot depth P --collective C -o O.svg
study depth P --collective C
study encodings P --collective C
export P -o -
export P -o O
merge P -o O
import P -o O
explain C 8 1024 --model M --profile P
show M
decide M C 8 1024
emit c M -o O
emit cdt M -o O
emit openmpi-4.1 M -o O
emit mpich-4.0 M -o O
emit rules-csv M -o O
check P --for openmpi-4.1
c45 -f P
"

# Commands that ask no profile, each in every surrounding. D: a folder that is made, with a profile, a plan or models.
alone="
import good.csv -o O
import osu.txt --mpi-library openmpi-4.1.5 --communicator-size 8 --system s -o O
import imb.txt --mpi-library openmpi-4.1.5 --system s -o O
import nccl.txt --collective allreduce --communicator-size 8 --system s -o O
import reprompi.txt --mpi-library openmpi-4.1.5 --system s -o O
import pico.csv --mpi-library openmpi-4.1.5 --system s -o O
import good.db -o O
plan --slurm=-N4 --mpi openmpi --communicator-sizes 2..8 --message-sizes 1..1K:x4 --system s -o D
kit --communicator-sizes 2 --message-sizes 1 -o O
methods --source mpich --json
describe man -o O
describe zsh
c45 -f p01_bcast_small
c45 -f p01_bcast_small --rules
run --model good.cdt --mpi openmpi --print -- true
doctor --model good.cdt --launcher false --communicator-sizes 2 --message-sizes 1
doctor --model good.cdt --launcher ./none --communicator-sizes 2 --message-sizes 1
verify --library openmpi --rules good.rules --launcher false --communicator-sizes 2 --message-sizes 1
check good.rules --for openmpi-4.1
tune --slurm=-N2 --launcher false --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 1 --system s -o D
tune --batch none.batch --launcher false --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 1 --system s -o D
"
simulated="
measure --platform grig --collective bcast --communicator-sizes 2,3 --message-sizes 1,1K --methods linear,binomial --jobs 1 -o O
tune --platform grig --collective bcast --communicator-sizes 2,3 --message-sizes 1,1K --methods linear,binomial --jobs 1 -o D
"

surroundings="full_output closed_output full_errors closed_errors closed_input lost_reader late_reader no_file_space few_files no_environment comma_locale no_temporary"
skipped() { echo "skipped: $1" >&2; }
if unshare -m true 2>err; then surroundings="$surroundings read_only"; else skipped "read_only: no name space of mounts here"; fi
# KiB of address space. A sanitizer's shadow needs more than there is.
if (ulimit -v 4000000; "$colltree" --version) >out 2>&1; then
  surroundings="$surroundings memory_16000 memory_20000 memory_28000 memory_60000"
else
  skipped "memory: a sanitizer needs the address space"
fi

# run WORDS...: colltree in the present surrounding; its exit code.
run() {
  case $surrounding in
    full_output) timeout 60 "$colltree" "$@" >/dev/full 2>err ;;
    closed_output) timeout 60 "$colltree" "$@" >&- 2>err ;;
    full_errors) timeout 60 "$colltree" "$@" >out 2>/dev/full ;;
    closed_errors) timeout 60 "$colltree" "$@" >out 2>&- ;;
    closed_input) timeout 60 "$colltree" "$@" <&- >out 2>err ;;
    lost_reader) timeout 60 "$colltree" "$@" 2>err | head -c0; return "${PIPESTATUS[0]}" ;;
    late_reader) timeout 60 "$colltree" "$@" 2>err | { sleep 0.05; dd bs=16 status=none; } >out; return "${PIPESTATUS[0]}" ;;
    read_only)
      unshare -m sh -c 'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD" && exec timeout 60 "$@"' \
        sh "$colltree" "$@" >out 2>err ;;
    memory_*) (ulimit -v "${surrounding#memory_}"; exec timeout 60 "$colltree" "$@" >out 2>err) ;;
    no_file_space) (ulimit -f 1; timeout 60 "$colltree" "$@" 2>&1 >out | cat >err; exit "${PIPESTATUS[0]}") ;;
    few_files) (ulimit -n 8; timeout 60 "$colltree" "$@" >out 2>err) ;;
    no_environment) env -i ASAN_OPTIONS="$ASAN_OPTIONS" timeout 60 "$colltree" "$@" >out 2>err ;;
    comma_locale) LOCPATH=$work LC_ALL=de_DE.UTF-8 timeout 60 "$colltree" "$@" >out 2>err ;;
    no_temporary) TMPDIR=/none HOME=/none timeout 60 "$colltree" "$@" >out 2>err ;;
    *) timeout 60 "$colltree" "$@" >out 2>err ;;
  esac
}

# What must hold of any end: no signal, no hang, no sanitizer, one line of error.
ended_well() {
  local code=$1 lines
  # Too little to start in: the loader's words.
  case $surrounding in
    memory_*) [ "$code" = 127 ] && grep -q 'error while loading shared libraries' err && return ;;
  esac
  case $code in
    0 | 1 | 2) ;;
    141) [ "$surrounding" = lost_reader ] || wrong "SIGPIPE" ;;
    124) wrong "no end" ;;
    *) wrong "exit code $code" ;;
  esac
  [ -s err ] && grep -qaE 'Sanitizer|runtime error|terminate called|not written for|basic_string|vector::|std::|bad_alloc' err && wrong "not our words"
  [ "$code" = 0 ] && return
  case $surrounding in full_errors | closed_errors) return ;; esac
  lines=$(grep -avcE '^note: |^D: up to about .* node hours| [0-9]+/[0-9]+ [a-z]+ \([0-9]+ %\)' err)
  case $code in
    1) [ "$lines" = 1 ] && grep -qa '^colltree: ' err || wrong "not one line" ;;
    2) [ "$lines" -le 2 ] && grep -qa '^colltree: ' err || wrong "not one line and its hint" ;;
  esac
  LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' err && wrong "control characters"
}

calls=0
call() {
  [ ! -e O ] && [ ! -e O.svg ] && [ ! -e D ] || rm -rf O O.svg D
  : >out
  : >err
  run "${words[@]}"
  code=$?
  calls=$((calls + 1))
  ended_well "$code"
}

# The result: what is printed and what is made. A report holds the command line and its time.
result() {
  case "${words[0]}" in
    report) return ;;
    # The times of writing stand in them.
    kit) cat out ;;
    tune | measure | import | merge) told ;;
    *) cat out O O.svg D/*.json D/*.sh 2>/dev/null ;;
  esac | cksum
}
# What the profile holds; what is printed has rates in it.
told() { local db=O; [ ! -d D ] || db=D/profile.db; [ ! -e $db ] || "$colltree" export $db -o - 2>/dev/null; cat D/*.json 2>/dev/null; }

meet() {
  local plain_code plain_result plain_prints makes
  surrounding=plain
  call
  plain_code=$code
  plain_result=$(result)
  [ -s out ] && plain_prints=1 || plain_prints=
  makes=
  case " ${words[*]} " in *" O "* | *" O.svg "* | *" D "*) makes=1 ;; esac
  if [ -n "$makes" ] && [ "$code" = 0 ]; then [ -s O ] || [ -s O.svg ] || [ -d D ] || wrong "nothing is made"; fi
  [ -n "$makes$plain_prints" ] || [ "$code" != 0 ] || wrong "nothing is said"
  for surrounding in $1; do
    call
    case $surrounding in
      full_output | closed_output)
        if [ -n "$plain_prints" ] && [ "$plain_code" = 0 ]; then [ "$code" = 1 ] || wrong "lost with exit code $code"; fi ;;
      read_only)
        if [ -n "$makes" ]; then
          [ "$code" != 0 ] || wrong "lost with exit code 0"
        else
          [ "$code" = "$plain_code" ] && [ "$(result)" = "$plain_result" ] || wrong "exit code $code, not $plain_code, or another result"
        fi ;;
      lost_reader | no_file_space | few_files | memory_*)
        # What was not lost must be the same.
        [ "$surrounding" = lost_reader ] || [ "$code" != 0 ] || [ "$(result)" = "$plain_result" ] || wrong "another result" ;;
      *)
        [ "$code" = "$plain_code" ] || wrong "exit code $code, not $plain_code"
        [ "$(result)" = "$plain_result" ] || wrong "another result" ;;
    esac
  done
}

turn=0
number=0
words=()
surrounding=plain
ends() { [ "$failures" = 0 ] || die "$failures of $calls calls"; echo "ok: $calls calls"; exit 0; }

if [ "$part" = alone ]; then
  imports=$source/tests/data/imports
  cp "$imports/osu/v5.6_allreduce.txt" osu.txt && cp "$imports/imb/v3.2_pingpong_allreduce.txt" imb.txt &&
    cp "$imports/nccl-tests/v2.13_all_reduce.txt" nccl.txt && cp "$imports/reprompi/raw.txt" reprompi.txt &&
    cp "$imports/pico/mare_nostrum.csv" pico.csv && cp "$source"/tests/data/c45/public/p01_bcast_small.* . || die "no data"
  "$colltree" emit cdt good.json -o good.cdt >out 2>&1 && "$colltree" emit openmpi-4.1 good.json -o good.rules >out 2>&1 || die "$(cat out)"
  [ ! -x "$1/colltree-simulate" ] || alone=$alone$simulated
  while read -r line; do
    [ -n "$line" ] || continue
    read -ra words <<<"$line"
    meet "$surroundings"
  done <<<"$alone"
  ends
fi
for profile in good.db $(cd "$work" && ls -d ./*.db | grep -v good.db | sort) none.db good.json; do
  profile=${profile#./}
  number=$((number + 1))
  [ $((number % parts)) = "$part" ] || continue
  collective=bcast
  [ "$profile" != barrier_only.db ] || collective=barrier
  model=good.json
  if "$colltree" fit quadtree "$profile" --collective $collective --system odd -o own.json >out 2>&1; then model=own.json; fi
  while read -r line; do
    [ -n "$line" ] || continue
    line=" $line "
    line=${line// P / $profile }
    line=${line// M / $model }
    line=${line// C / $collective }
    read -ra words <<<"$line"
    if [ -n "${COLLTREE_TEST_FULL:-}" ]; then
      meet "$surroundings"
    else
      turn=$((turn % $(wc -w <<<"$surroundings") + 1))
      meet "$(cut -d' ' -f$turn <<<"$surroundings")"
    fi
  done <<<"$commands"
done
ends
