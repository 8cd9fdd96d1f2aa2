#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD ends|sessions|runs|templates: `tune --slurm` and `--batch` over jobs of a stand-in (tests/batch/stand_in), which ends them in
# every way, divides a verification (between jobs, between runs), or stands for another batch system; the real Slurm is tests/batch/mini_cluster.sh.
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
[[ "$2" = sessions || "$2" = runs ]] || ok "$colltree" measure "${what[@]}" -o undisturbed.db

if [ "$2" = ends ]; then

# What it would do and what it would cost: so much of a budget, or --cell-budget for each cell.
ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" --budget=6m -o tuned
grep -qxF "$work/tuned/batch/job-1.sh: up to about 0.10 h of measuring, 4 jobs of at most 0.03 h, 0.200 node hours on 2 nodes" out || die "--dry-run: $(cat out)"
grep -qxF "  sbatch --parsable --open-mode=append --output=$work/tuned/batch/job-1.out -N 2 --time=1:30 $work/tuned/batch/job-1.sh" out || die "--dry-run: $(cat out)"
grep -qxF '  verified in one session, which says nothing of another day (--sessions 4)' out || die "--dry-run: $(cat out)"
grep -q "colltree tune --launcher 'stand_in_launcher -np {ranks}' .* --system tuned --budget 360s > " tuned/batch/job-1.sh || die "$(cat tuned/batch/job-1.sh)"
[ ! -e tuned/profile.db ] || die "--dry-run measured"
ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" -o tuned
hours=$(awk -v cells="$(cells undisturbed.db | wc -l)" 'BEGIN { printf "%.3f", cells * 0.05 * 2 / 3600 }')
grep -q ", $hours node hours on 2 nodes" out || die "want $hours node hours for all cells: $(cat out)"

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
grep -qE '^(Verdict for|Nothing is deployed)' out || die "the summary is missing: $(cat out)"
grep -qE '^tuned: 5 jobs, 0\.[0-9]+ node hours used$' err || die "$(cat err)"
[ "$(ends tuned)" = "timed_out out_of_memory cancelled node_failed done" ] || die "the log: $(cat tuned/batch/log)"
! head -n 8 tuned/batch/log | grep -q 'cells 0' || die "a job has measured nothing: $(cat tuned/batch/log)"
diff <(cells undisturbed.db) <(cells tuned/profile.db) || die "other cells than undisturbed"

fi

if [[ "$2" = sessions || "$2" = runs ]]; then
# The verification in several sessions. The library's own choice is slow here, so there is something to verify.
printf '#!/bin/bash\nset -o pipefail\nstand_in_launcher "$@" | %s %s\n' "$source/../campaign/given_times.py" "$work/times" >bin/quick_launcher
chmod +x bin/quick_launcher
echo $' default 1000\n. 100' >times
spread=(--launcher 'quick_launcher -np {ranks}' --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 8K --segment-sizes 256
        --methods Pipeline_256B,default --min-samples 1 --max-samples 3 --cell-budget 0.05 --foreign-load 0 --caution 0 -o spread)
fi

if [ "$2" = sessions ]; then
# Each session is a job, which begins later; a watching process that is killed between them finds out how much later.
ok "$colltree" tune --dry-run "${slurm[@]}" "${spread[@]}" --sessions 3 --spread 1.5
grep -qxF '  verified in 3 sessions, at least 1.5 h apart' out || die "--dry-run: $(cat out)"
grep -q -- ' --sessions 3 ' spread/batch/job-1.sh && ! grep -q -- --spread spread/batch/job-1.sh || die "$(cat spread/batch/job-1.sh)"
fates 1 '' 'requeued 1'
"$colltree" tune "${slurm[@]}" "${spread[@]}" --sessions 3 --spread 1.5 >out 2>err &
until grep -A1 'the next job starts in 1.5 h, in another session' err | grep -q ': submitted'; do sleep 0.05; done
kill -KILL $!
wait $! 2>/dev/null
ok "$colltree" tune "${slurm[@]}" "${spread[@]}" --sessions 3 --spread 1.5
[ "$(ends spread)" = "done done done" ] || die "the log: $(cat spread/batch/log)"
grep -qE '^colltree: spread: 8 rounds of the verification are left for other sessions; rerun the same command later$' spread/batch/job-1.out ||
  die "$(cat spread/batch/job-1.out)"
[ "$(tail -n +2 spread/verification.csv | cut -d, -f2,10 | paste -sd' ')" = "0,0 1,0 2,0 3,0 4,1 5,1 6,1 7,1 8,2 9,2 10,2 11,2" ] ||
  die "the sessions: $(cat spread/verification.csv)"
[ "$(sort -u system/begins | grep -cE '^--begin=now\+5[0-9]{3}$')" -ge 1 ] || die "not later: $(cat system/begins)"
grep -q '^Verified in 3 sessions: ' out && grep -qE '^bcast +Pipeline_256B .* kept$' out || die "$(cat out)"
# Another call verifies nothing again.
cp spread/verification.csv whole.csv
ok "$colltree" tune "${spread[@]}" --system spread --sessions 3
cmp whole.csv spread/verification.csv || die "verified again"

fi

if [ "$2" = runs ]; then
# Without a batch system each run is a session. Between them the profile stays as it is: a budget is not used for a further method, with
# which the verification would begin anew.
refuses 3 "colltree: spread: 6 rounds of the verification are left for other sessions; rerun the same command later" \
  "$colltree" tune "${spread[@]}" --sessions 2
[ ! -e spread/tuned.cdt ] || die "written before it was verified"
ok "$colltree" tune "${spread[@]/Pipeline_256B,/Pipeline_256B,Linear_0K,}" --sessions 2 --budget 60s
grep -qx 'spread: no further cell is measured until the sessions of the verification are complete' err || die "$(cat err)"
grep -q ': 0 cells measured, ' out && [ -s spread/tuned.cdt ] || die "$(cat out)"

fi

if [ "$2" = templates ]; then
# Other batch systems by the templates of docs/tasks/batch.md, word for word.
for name in pbs lsf flux; do
  awk -v begin="\`\`\`$name" '/^```/ { inside = 0 } inside; $0 == begin { inside = 1 }' "$source/../../docs/tasks/batch.md" >$name
  job=$(($(cat system/last 2>/dev/null || echo 0) + 1))
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
refuses 2 "colltree: --spread: goes with --sessions, and with --slurm or --batch$hint" "${tune[@]}" --slurm '-N 2' --spread 1
refuses 2 "colltree: --spread: goes with --sessions, and with --slurm or --batch$hint" "${tune[@]}" --sessions 2 --spread 1
refuses 2 "colltree: --sessions: divides the verification, which --platform, --no-verify and --reproducible leave out$hint" \
  "${tune[@]}" --slurm '-N 2' --sessions 2 --no-verify
refuses 2 "colltree: --platform simulates, which needs no batch system: leave --slurm out$hint" \
  "$colltree" tune --platform grig --slurm '-N 2' -o wrong
if [ -x "$build/colltree-measure-mpich" ]; then
  intel=""
  [ ! -x "$build/colltree-measure-intel" ] || intel=" or --mpi intel"
  refuses 2 "colltree: srun starts ranks of any MPI library; say --mpi openmpi or --mpi mpich$intel$hint" "$colltree" tune --slurm '-N 2' \
    --communicator-sizes 2 --message-sizes 1 -o wrong
  # The source names the library, and the options of sbatch the ranks that auto may take.
  ok "$colltree" tune --dry-run --slurm '-N 4 --ntasks-per-node=2' --source mpich --communicator-sizes auto --message-sizes 1 -o said
  grep -qxF 'colltree: --communicator-sizes auto: up to 8 ranks, 2 on a node, by --slurm' err || die "$(cat err)"
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
fi
echo ok
