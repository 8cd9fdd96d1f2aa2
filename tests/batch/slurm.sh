#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm.sh BUILD: `tune --batch --jobs 6` on a real Slurm of four nodes with two ranks each (nodes.sh), whose clocks are 1000 s apart. Of the six
# jobs the first loses its coordinator, the second is cancelled, the third reaches its time limit, the fourth loses a node, the fifth ends the campaign
# and the sixth finds it finished; they have the cells of one job that nobody disturbed, which waited in the same queue. A job's time limit is a minute
# at least, so an administrator ends it sooner.
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
own_machine 3000 "$0" "$(realpath "$1")"
colltree=$1/colltree
for program in sqlite3 srun mpirun.openmpi; do command -v $program >/dev/null || skip "$program is not installed"; done
begin_nodes 4 1000
begin_slurm 2
. "$source/campaigns.sh"
# Fences of Slurm 22.05's other kind end too early: of 60 jobs 2 to 8 died when a message came before its receiver was ready.
export SLURM_PMIX_FENCE=ring

tune() { # FOLDER JOBS
  "$colltree" tune --batch "slurm -N 4 --ntasks-per-node=2 --time=30 --no-requeue" --jobs "$2" --launcher "srun --mpi=pmix --kill-on-bad-exit=1 -n {ranks}" \
    --mpi openmpi --collective bcast --communicator-sizes 2,8 --message-sizes 1,64 --segment-sizes 0 --samples 100000..100000 \
    --cell-budget 0.05 --foreign-load 0 --sessions 0 -o "$1"
}
job() { sed -n "$1p" disturbed/batch/jobs; } # NUMBER: its name
state() { scontrol -o show job "$1" | sed 's/.* JobState=\([A-Z_]*\) .*/\1/'; }
has_measured() { grep -q ': [1-9].* cells (' "disturbed/batch/job-$1.out"; } 2>/dev/null
has_ended() { [[ ! $(state "$1") =~ PENDING|CONFIGURING|RUNNING|COMPLETING ]]; }
awaits() { until "$@"; do sleep 0.1; done; } # CONDITION...: own_machine ends what takes too long
cells() { sqlite3 "$1/profile.db" "SELECT DISTINCT collective, communicator_size, message_size, algorithm, segment_size FROM cells ORDER BY 1, 2, 3, 4, 5"; }

tune undisturbed 1 && tune disturbed 6 || die "not submitted"
scontrol -o show job "$(job 6)" | grep -q "Dependency=afterany:$(job 5)" || die "job 6 does not wait for job 5: $(scontrol -o show job "$(job 6)")"

awaits has_measured 1
pkill -KILL -f 'colltree tune .* -o disturbed'
awaits has_measured 2
scancel "$(job 2)"
# Ranks that stopped cost nothing while Slurm looks, every half minute, for jobs beyond their time.
awaits has_measured 3
pkill -STOP colltree-measur
scontrol update "JobId=$(job 3)" "EndTime=$(date -d '+1 second' +%Y-%m-%dT%H:%M:%S)" || die "no end time"
awaits has_measured 4
pkill -STOP colltree-measur
fail_node n3
awaits has_ended "$(job 4)"
heal_node n3
awaits has_ended "$(job 6)"

tune undisturbed 1
tune disturbed 6
states=$(for i in 1 2 3 4 5 6; do state "$(job $i)"; done | paste -sd' ')
[ "$states" = "FAILED CANCELLED TIMEOUT NODE_FAIL COMPLETED COMPLETED" ] || die "the jobs ended by $states"
grep -q 'an earlier job has finished the campaign' disturbed/batch/job-6.out || die "job 6: $(cat disturbed/batch/job-6.out)"
diff <(cells undisturbed) <(cells disturbed) || die "other cells than undisturbed"
[ "$(sqlite3 disturbed/profile.db "SELECT count(*) FROM cells WHERE communicator_size = 8 AND nodes = 4 AND ranks_per_node = 2 AND status = 'ok'")" -ge 10 ] ||
  die "not on four nodes with two ranks each"
echo "ok: $(cells disturbed | wc -l) cells"
