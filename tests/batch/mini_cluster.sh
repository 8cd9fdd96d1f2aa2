#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mini_cluster.sh BUILD: slurm.sh at length, with nobody to shorten a job's time: jobs of one minute of which two reach their limit, one
# is cancelled, one loses its coordinator, one is requeued when a node fails and one is lost with a node; the watching process is killed
# once. They end with the cells of one job that nobody disturbed. Ten minutes: too long for CI.
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
own_machine 1200 "$0" "$(realpath "$1")"
colltree=$1/colltree
for program in sqlite3 srun mpirun.openmpi; do command -v $program >/dev/null || skip "$program is not installed"; done
begin_nodes 4 1000
begin_slurm 2
sizes=1..64:x2 cell_s=0.7
. "$source/campaigns.sh"

echo "two campaigns in one queue"
tune undisturbed --time=30 &
undisturbed=$!
says undisturbed running
tune disturbed --time=1 &
disturbed=$!
says disturbed pending
wait $undisturbed || die "undisturbed"

echo "a job is cancelled: the end, until the same command"
measures disturbed 0
seen=$(jobs_of disturbed)
scancel "$(job_id disturbed)"
wait $disturbed && die "a cancelled job is not the end"
grep -qE 'cancelled.*; the same command continues; [1-9][0-9]* cells are stored$' disturbed.err || die "not cancelled"

echo "the watching process is killed, and finds the job again"
tune disturbed --time=1 &
measures disturbed "$seen"
seen=$(jobs_of disturbed)
pkill -KILL -f 'colltree tune --slurm.*-o disturbed'
wait $! 2>/dev/null
cat disturbed.err >>killed.err
tune disturbed --time=1 &
disturbed=$!
says disturbed running
[ "$(jobs_of disturbed)" = "$seen" ] || die "not the same job: $(cat disturbed/batch/log)"

echo "the coordinator in a job is killed"
pkill -KILL -f 'colltree tune --launcher.*--system disturbed'
says disturbed ': failed'
measures disturbed "$seen"
seen=$(jobs_of disturbed)

echo "a node fails, the job is requeued and runs again"
fail_node n4
says disturbed ': requeued'
heal_node n4
says disturbed ': timed_out'
measures disturbed "$seen"

echo "a node fails, the job is not requeued"
scontrol update "JobId=$(job_id disturbed)" Requeue=0 || die "no such job"
sleep 1
fail_node n3
says disturbed ': node_failed'
heal_node n3
wait $disturbed || die "disturbed"
cat killed.err
same_cells cancelled failed timed_out node_failed done
