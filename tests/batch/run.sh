#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD: `tune --slurm` and `--batch` over jobs of a stand-in (tests/batch/stand_in), which ends them in every way;
# the real Slurm is tests/batch/mini_cluster.sh.
set -u
# Leaks are looked for where commands run in the tests' own process: it is half of a short program's time.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
build=$1
source=$(cd "$(dirname "$0")" && pwd)
colltree=$build/colltree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COLUMNS=200 STAND_IN=$work/system
mkdir bin system
for name in sbatch scontrol sacct scancel qsub qstat bsub bjobs flux stand_in_launcher; do ln -s "$source/stand_in" bin/$name; done
PATH=$work/bin:$PATH

die() { echo "FAILED: $*" >&2; tail -n 5 "$work"/*/batch/*.out >&2 2>/dev/null; exit 1; }
ok() { "$@" >out 2>err || { local code=$?; cat out err >&2; die "exit code $code: $*"; }; }
refuses() { # CODE TEXT COMMAND...: TEXT is how its message ends
  local code=$1 text=$2
  shift 2
  "$@" >out 2>err
  local got=$?
  [ $got -eq "$code" ] && [[ $(cat err) == *"$text" ]] || { cat err >&2; die "exit code $got, want $code and: $text"; }
}
# Those that failed too, as cells do on a loaded machine.
cells() {
  sqlite3 "$1" "SELECT DISTINCT collective, communicator_size, message_size, algorithm, segment_size FROM cells ORDER BY 1, 2, 3, 4, 5"
}
fates() { local n=$1 fate; shift; for fate; do echo "$fate" | tr , '\n' >system/fate-$n; n=$((n + 1)); done; } # FIRST-JOB FATE...
ends() { sed -nE 's/^[0-9]+ ended ([a-z_]+) .*/\1/p' "$1/batch/log" | paste -sd' '; }

what=(--launcher 'stand_in_launcher -np {ranks}' --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 0..40:8
      --segment-sizes 0 --min-samples 2 --max-samples 2 --cell-budget 0.05 --foreign-load 0)
slurm=(--slurm '-N 2 --time=1:30')

# What it would do and what it would cost: so much of a budget, or --cell-budget for each cell.
ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" --budget=6m -o tuned
grep -qxF "$work/tuned/batch/job-1.sh: up to about 0.10 h of measuring, 4 jobs of at most 0.03 h, 0.200 node hours on 2 nodes" out || die "--dry-run: $(cat out)"
grep -qxF "  sbatch --parsable --open-mode=append --output=$work/tuned/batch/job-1.out -N 2 --time=1:30 $work/tuned/batch/job-1.sh" out || die "--dry-run: $(cat out)"
grep -q "colltree tune --launcher 'stand_in_launcher -np {ranks}' .* --system tuned --budget 360s > " tuned/batch/job-1.sh || die "$(cat tuned/batch/job-1.sh)"
[ ! -e tuned/profile.db ] || die "--dry-run measured"
ok "$colltree" measure "${what[@]}" -o undisturbed.db
count=$(cells undisturbed.db | wc -l)
ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" -o tuned
hours=$(awk -v cells="$count" 'BEGIN { printf "%.3f", cells * 0.05 * 2 / 3600 }')
grep -q ", $hours node hours on 2 nodes" out || die "want $hours node hours for $count cells: $(cat out)"

# A job that is cancelled is the end, because somebody wanted it.
fates 1 'timed_out 4' 'requeued 4,out_of_memory 4' 'cancelled 4'
refuses 1 " cells are stored" "$colltree" tune "${slurm[@]}" "${what[@]}" --no-verify -o tuned
grep -qE '^colltree: job 3: cancelled.*; the same command continues; [0-9]+ cells are stored$' err || die "$(cat err)"
grep -qx 'job 2: requeued' err || die "$(cat err)"
# The same command continues; the watching process may be killed, and finds the job again.
fates 4 'node_failed 4' 'forgotten 9999'
"$colltree" tune "${slurm[@]}" "${what[@]}" --no-verify -o tuned >out 2>err &
until grep -q 'job 4: running' err; do sleep 0.05; done
refuses 1 "$work/tuned/batch/log: another colltree watches these jobs; wait for it, or end it and rerun the same command" \
  "$colltree" tune "${slurm[@]}" "${what[@]}" --no-verify -o tuned
kill -KILL $!
wait $! 2>/dev/null
ok "$colltree" tune "${slurm[@]}" "${what[@]}" --no-verify -o tuned
grep -q '^bcast: best methods over' out || die "the summary is missing: $(cat out)"
grep -qE '^tuned: 5 jobs, 0\.[0-9]+ node hours used$' err || die "$(cat err)"
[ "$(ends tuned)" = "timed_out out_of_memory cancelled node_failed done" ] || die "the log: $(cat tuned/batch/log)"
! head -n 8 tuned/batch/log | grep -q 'cells 0' || die "a job has measured nothing: $(cat tuned/batch/log)"
diff <(cells undisturbed.db) <(cells tuned/profile.db) || die "other cells than undisturbed"

# Other batch systems by the templates of docs/tasks/batch.md, word for word.
for name in pbs lsf flux; do
  awk -v begin="\`\`\`$name" '/^```/ { inside = 0 } inside; $0 == begin { inside = 1 }' "$source/../../docs/tasks/batch.md" >$name
  job=$(($(cat system/last) + 1))
  fates $job 'timed_out 4'
  ok "$colltree" tune --batch $name "${what[@]}" --no-verify -o by-$name
  [ "$(ends by-$name)" = "timed_out done" ] || die "$name: $(cat by-$name/batch/log)"
  grep -qE ' ended timed_out seconds [0-9]+ nodes 2 cells [1-9]' by-$name/batch/log || die "$name: $(cat by-$name/batch/log)"
  diff <(cells undisturbed.db) <(cells by-$name/profile.db) || die "other cells by $name"
done

# What people do wrong.
hint="
Try 'colltree tune --help'."
tune=("$colltree" tune "${what[@]}" -o wrong)
refuses 2 "colltree: --slurm: --output is set by colltree itself; leave it out$hint" "${tune[@]}" --slurm '-N 2 --output=x'
refuses 2 "colltree: --slurm: expected a time limit, 30, 1:30:00 or 1-00:00:00, got 'soon'$hint" "${tune[@]}" --slurm '-t soon'
refuses 2 "colltree: --slurm and --batch both name the batch system; give one of them$hint" "${tune[@]}" --slurm '-N 2' --batch pbs
refuses 2 "colltree: --platform simulates, which needs no batch system: leave --slurm out$hint" \
  "$colltree" tune --platform grig --slurm '-N 2' -o wrong
if [ -x "$build/colltree-measure-mpich" ]; then
  refuses 2 "colltree: srun starts ranks of any MPI library; say --mpi openmpi or --mpi mpich$hint" "$colltree" tune --slurm '-N 2' \
    --communicator-sizes 2 --message-sizes 1 -o wrong
fi
refuses 2 "colltree: --batch: name the command that starts ranks in a job, e.g. --launcher 'mpirun -np {ranks}'$hint" "$colltree" tune --batch pbs \
  --communicator-sizes 2 --message-sizes 1 -o wrong
refuses 1 "colltree: unknown method 'binominal' of bcast; did you mean 'binomial'?" "${tune[@]}" --slurm '-N 2' --methods binominal
grep -v '^look' pbs >bad
refuses 1 "colltree: bad: has no line 'look'; docs/tasks/batch.md shows a whole one" "${tune[@]}" --batch bad
refuses 1 "colltree: nowhere: cannot open: No such file or directory" "${tune[@]}" --batch nowhere
[ ! -e wrong ] || die "bad input left a folder"
echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >system/refuse
refuses 1 "colltree: sbatch took no job (exit code 1): sbatch: error: Batch job submission failed: Invalid partition name specified" \
  "${tune[@]}" --slurm '-p nowhere'
echo ok
