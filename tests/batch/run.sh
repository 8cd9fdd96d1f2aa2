#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD chain|sessions|runs|templates: `tune --batch` over the jobs of a stand-in (tests/batch/stand_in): jobs that wait for
# each other and continue, a verification in sessions (of jobs, of runs), other batch systems and bad input; the real Slurm is tests/batch/slurm.sh.
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
for name in sbatch qsub bsub flux stand_in stand_in_launcher; do ln -s "$source/stand_in" bin/$name; done
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
says() { grep -qE -- "$1" "${2:-out}" || die "no '$1' in: $(cat "${2:-out}")"; } # PATTERN [FILE]
# Those that failed too, as cells do on a loaded machine.
cells() {
  sqlite3 "$1" "SELECT DISTINCT collective, communicator_size, message_size, algorithm, segment_size FROM cells ORDER BY 1, 2, 3, 4, 5"
}
stored() { sqlite3 "$1" "SELECT * FROM cells ORDER BY 1"; }
events() { cut -d' ' -f1 "$1/batch/progress" | paste -sd' '; }
later() { awk -v by="$2" '{ printf "%s %.1f\n", $1, $2 - by }' "$1/batch/progress" >shifted && mv shifted "$1/batch/progress"; } # FOLDER SECONDS: have passed
queue() { (cd system && grep -H . "$1"-* | sed "s/^$1-//" | paste -sd' '); } # after|begin|ended: "JOB:VALUE ..."

what=(--launcher 'stand_in_launcher -np {ranks}' --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 0..16:8
      --segment-sizes 0 --samples 2..2 --cell-budget 0.05 --foreign-load 0)
slurm=(--batch 'slurm -N 2 --time=1:30')

case $2 in
chain)
  # What it would do and what it would cost: so much of a budget, or --cell-budget for each cell.
  tuned=$work/tuned/batch
  ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" --budget=6m --jobs 2 -o tuned
  diff out - <<S || die "--dry-run"
$tuned/job.sh: up to about 0.10 h of measuring left, 4 jobs of at most 0.03 h, 0.200 node hours on 2 nodes
  verified in one session, which says nothing of another day (--sessions 4)
  sbatch --parsable --open-mode=append --output=$tuned/job-1.out -N 2 --time=1:30 $tuned/job.sh
  sbatch --parsable --open-mode=append --output=$tuned/job-2.out -N 2 --time=1:30 --dependency=afterany:JOB1 $tuned/job.sh
S
  says "colltree tune --batch 'slurm -N 2 --time=1:30' --launcher 'stand_in_launcher -np .ranks.' .* --budget=6m --jobs 2 -o tuned$" tuned/batch/job.sh
  ok "$colltree" measure "${what[@]}" -o undisturbed.db
  ok "$colltree" tune --dry-run "${slurm[@]}" "${what[@]}" -o tuned
  says ", $(awk -v cells="$(cells undisturbed.db | wc -l)" 'BEGIN { printf "%.3f", cells * 0.05 * 2 / 3600 }') node hours on 2 nodes"

  # A submission that fails half way names the jobs that are submitted, and continues.
  tune=("$colltree" tune "${slurm[@]}" "${what[@]}" --sessions 0 -o tuned)
  echo "sbatch: error: Batch job submission failed: Requested node configuration is not available" >system/refuse-3
  refuses 1 "colltree: job 3 of 5: sbatch took no job (exit code 1): sbatch: error: Batch job submission failed: Requested node configuration is \
not available; submitted are 1 2 (cancel them with 'scancel 1 2'); rerun the same command to submit the others (if those have ended and are no longer \
known there, remove $tuned/jobs first)" "${tune[@]}" --jobs 5
  rm system/refuse-3
  ok "${tune[@]}" --jobs 5
  says '^tuned: 0 cells measured in 0.00 h; 0 of 5 jobs started; up to about 0.00 h of measuring left, 1 job of at most 0.03 h, '
  says "^tuned: submitted: 1 2 3 4 5 \(cancel them with 'scancel 1 2 3 4 5'\); a larger --jobs submits more$"
  [ "$(queue after)" = "2:1 3:2 4:3 5:4" ] || die "the jobs do not wait for each other: $(queue after)"
  [ ! -e tuned/profile.db ] || die "measured on the login node"

  # The first job is killed, the second gets SIGTERM, the third ends the campaign, the others find it finished.
  echo KILL 3 >system/fate-1
  echo TERM 3 >system/fate-2
  ok stand_in run 1
  [ "$(events tuned)" = started ] || die "$(events tuned)"
  stored tuned/profile.db >before
  ok stand_in run 2
  says 'interrupted; .*, the same command continues' tuned/batch/job-2.out
  stored tuned/profile.db | diff before - | grep '^<' && die "cells of the job that was killed are lost"
  ok "${tune[@]}" --jobs 5
  says '^tuned: [1-9] cells measured in [0-9.]+ h; 2 of 5 jobs started; [0-9]+ cells an hour; up to about [0-9.]+ h of measuring left, '
  stored tuned/profile.db >before
  ok stand_in run
  stored tuned/profile.db | diff before - | grep '^<' && die "cells of interrupted jobs are lost"
  [ "$(queue ended)" = "1:137 2:143 3:0 4:0 5:0" ] || die "ends: $(queue ended)"
  [ "$(events tuned)" = "started ended started ended started finished" ] || die "$(events tuned)"
  [ "$(cat tuned/batch/job-5.out)" = "tuned: an earlier job has finished the campaign; nothing is left to do" ] || die "$(cat tuned/batch/job-5.out)"
  says '^(Verdict for|Nothing is deployed)' tuned/batch/job-3.out
  diff <(cells undisturbed.db) <(cells tuned/profile.db) || die "other cells than undisturbed"
  ok "${tune[@]}" --jobs 5
  says '^tuned: finished: .* cells measured in [0-9.]+ h; 3 of 5 jobs started'
  says "^(Verdict for|Nothing is deployed)"
  [ "$(cat system/last)" = 5 ] || die "submitted again"

  # Further jobs with other options, behind jobs that have ended.
  ok "$colltree" tune "${slurm[@]}" "${what[@]/16:8/24:8}" --sessions 0 -o tuned --jobs 6
  [ ! -e system/after-6 ] || die "it waits for a job that has ended"
  ok stand_in run
  [ "$(events tuned)" = "started ended started ended started finished reopened started finished" ] || die "$(events tuned)"
  diff <(cells undisturbed.db) <(cells tuned/profile.db) | grep -q '^>' || die "nothing more was measured" ;;

sessions | runs)
  # The library's own choice is slow here, so there is something to verify. A job of the same plan, as the rounds have, need not run again.
  cat >bin/quick_launcher <<S
#!/bin/bash
set -o pipefail
said=$work/said-\$(cksum <"\${*: -1}" | cut -d' ' -f1)
if [ -e "\$said" ]; then cat "\$said"; else stand_in_launcher "\$@" | $source/../campaign/given_times.py $work/times | tee "\$said-new" && mv "\$said-new" "\$said"; fi
S
  chmod +x bin/quick_launcher
  echo $' default 1000\n. 100' >times
  spread=(--launcher 'quick_launcher -np {ranks}' --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 8K --segment-sizes 256
          --methods Pipeline_256B,default --samples 1..3 --cell-budget 0.05 --foreign-load 0 --caution 0 --details -o spread) ;;&

sessions)
  # Each session is a job, which begins later. One that starts too early measures nothing.
  tune=("$colltree" tune "${slurm[@]}" "${spread[@]}" --sessions 3:1.5)
  ok "${tune[@]}"
  says 'verified in 3 sessions, 1.5 h apart' err
  [ "$(queue after) $(queue begin)" = "2:1 3:2 2:5400 3:10800" ] || die "$(queue after), $(queue begin)"
  ok stand_in run 2
  says '^spread: 8 rounds of the verification are left for other sessions' spread/batch/job-1.out
  says '^spread: the last session ended 0.0 h ago, so this job measures nothing: sessions are 1.5 h apart, and a larger --jobs' spread/batch/job-2.out
  [ "$(events spread)" = "started session" ] || die "$(events spread)"
  later spread 7200
  ok stand_in run 3
  later spread 600
  ok "${tune[@]}" --jobs 2
  [ "$(cat system/after-4)" = 3 ] && grep -qE '^4[78][0-9]{2}$' system/begin-4 || die "job 4: $(cat system/after-4 system/begin-4)"
  later spread 7200
  ok stand_in run
  [ "$(events spread) $(queue ended)" = "started session started session started finished 1:0 2:0 3:0 4:0" ] || die "$(events spread) $(queue ended)"
  [ "$(tail -n +2 spread/verification.csv | cut -d, -f2,10 | paste -sd' ')" = "0,0 1,0 2,0 3,0 4,1 5,1 6,1 7,1 8,2 9,2 10,2 11,2" ] ||
    die "the sessions: $(cat spread/verification.csv)"
  says '^Verified in 3 sessions: ' spread/batch/job-4.out
  says '^bcast +Pipeline_256B .* kept$' spread/batch/job-4.out
  # Another call verifies nothing again.
  cp spread/verification.csv whole.csv
  ok "$colltree" tune "${spread[@]}" --system spread --sessions 3
  cmp whole.csv spread/verification.csv || die "verified again" ;;

runs)
  # Without a batch system each run is a session. Between them the profile stays as it is: a budget is not used for a further method, with
  # which the verification would begin anew.
  refuses 3 "colltree: spread: 6 rounds of the verification are left for other sessions; rerun the same command later" \
    "$colltree" tune "${spread[@]}" --sessions 2
  [ ! -e spread/tuned.cdt ] || die "written before it was verified"
  ok "$colltree" tune "${spread[@]/Pipeline_256B,/Pipeline_256B,Linear_0K,}" --sessions 2 --budget 60s
  grep -qx 'spread: no further cell is measured until the sessions of the verification are complete' err || die "$(cat err)"
  grep -q ': 0 cells measured, ' out && [ -s spread/tuned.cdt ] || die "$(cat out)" ;;

templates)
  # Other batch systems by the templates of docs/tasks/batch.md, word for word: the second job has what the first, killed after 200 s, left of the budget.
  for name in pbs lsf flux; do
    awk -v begin="\`\`\`$name" '/^```/ { inside = 0 } inside; $0 == begin { inside = 1 }' "$source/../../docs/tasks/batch.md" >$name
    job=$(($(cat system/last 2>/dev/null || echo 0) + 1))
    echo KILL 1 >system/fate-$job
    ok "$colltree" tune --batch $name "${what[@]}" --budget 300s --sessions 0 --jobs 2 -o by-$name
    [ "$(cat system/after-$((job + 1)))" = $job ] || die "$name: the second job does not wait for the first"
    ok stand_in run $job
    later by-$name 200
    ok stand_in run
    [ "$(events by-$name)" = "started ended started finished" ] || die "$name: $(events by-$name)"
    ok "$colltree" tune --batch $name "${what[@]}" --sessions 2 -o more-$name
    [ $name != flux ] || says '^by-flux: 0.0[0-3] h of the budget are left$' by-flux/batch/job-2.out
    [ -s system/begin-$(cat system/last) ] || die "$name: the second session does not begin later"
    rm system/*-$(cat system/last) system/*-$(($(cat system/last) - 1))
    echo $((job + 1)) >system/last
  done

  # What people do wrong.
  hint="
Try 'colltree tune --help'."
  tune=("$colltree" tune "${what[@]}" -o wrong)
  refuses 2 "colltree: --batch: --output is set by colltree itself; leave it out$hint" "${tune[@]}" --batch 'slurm -N 2 --output=x'
  refuses 2 "colltree: --batch: expected a time limit, 30, 1:30:00 or 1-00:00:00, got 'soon'$hint" "${tune[@]}" --batch 'slurm -t soon'
  refuses 2 "colltree: --sessions: hours between sessions go with two and more, and with --batch$hint" "${tune[@]}" --batch 'slurm -N 2' --sessions 1:1
  refuses 2 "colltree: --sessions: hours between sessions go with two and more, and with --batch$hint" "${tune[@]}" --sessions 2:1
  refuses 2 "colltree: --sessions: divides the verification, which --platform and --reproducible leave out$hint" \
    "${tune[@]}" --batch 'slurm -N 2' --sessions 2 --reproducible
  refuses 2 "colltree: --platform simulates, which needs no batch system: leave --batch out$hint" \
    "$colltree" tune --platform grig --batch 'slurm -N 2' -o wrong
  if [ -x "$build/colltree-measure-mpich" ]; then
    intel=""
    [ ! -x "$build/colltree-measure-intel" ] || intel=" or --mpi intel"
    refuses 2 "colltree: srun starts ranks of any MPI library; say --mpi openmpi or --mpi mpich$intel$hint" "$colltree" tune --batch 'slurm -N 2' \
      --communicator-sizes 2 --message-sizes 1 -o wrong
    # The source names the library, and the options of sbatch the ranks that auto may take.
    ok "$colltree" tune --dry-run --batch 'slurm -N 4 --ntasks-per-node=2' --source mpich --communicator-sizes auto --message-sizes 1 -o said
    grep -qxF 'colltree: --communicator-sizes auto: up to 8 ranks, 2 on a node, by --batch' err || die "$(cat err)"
  fi
  refuses 2 "colltree: --batch: name the command that starts ranks in a job, e.g. --launcher 'mpirun -np {ranks}'$hint" "$colltree" tune --batch pbs \
    --communicator-sizes 2 --message-sizes 1 -o wrong
  refuses 1 "colltree: unknown method 'binominal' of bcast; did you mean 'binomial'?" "${tune[@]}" --batch 'slurm -N 2' --methods binominal
  # A template of colltree 1 submits one job.
  sed 's/ {dependency} {begin}//; /^dependency/d; s/^begin.*/look qstat -xf {job}\nstate done Exit_status = 0$/' pbs >older
  ok "${tune[@]}" --batch older --dry-run
  rm -r wrong
  refuses 1 "colltree: older: has no line 'dependency', by which one job follows another; add it (docs/tasks/batch.md), or submit one job, without \
--jobs and --sessions" "${tune[@]}" --batch older --jobs 2
  sed '/^begin/d' pbs >same_day
  refuses 1 "colltree: same_day: has no line 'begin', by which one job follows another; add it (docs/tasks/batch.md), or submit one job, without --jobs \
and --sessions" \
    "${tune[@]}" --batch same_day --sessions 2
  grep -v '^job' pbs >bad
  refuses 1 "colltree: bad: has no line 'job'; docs/tasks/batch.md shows a whole one" "${tune[@]}" --batch bad
  refuses 1 "colltree: nowhere: cannot open: No such file or directory" "${tune[@]}" --batch nowhere
  [ ! -e wrong ] || die "bad input left a folder"
  echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >"system/refuse-$(($(cat system/last) + 1))"
  refuses 1 "colltree: sbatch took no job (exit code 1): sbatch: error: Batch job submission failed: Invalid partition name specified" \
    "${tune[@]}" --batch 'slurm -p nowhere' ;;
esac
echo ok
