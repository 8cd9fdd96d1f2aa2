#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm.sh BUILD: `tune --slurm` on a real Slurm of four nodes with two ranks each (nodes.sh), whose clocks are 1000 s apart. Jobs of
# which one loses its coordinator, one is cancelled, one reaches its time limit and one loses a node end with the cells of one job that nobody disturbed,
# which waited in the same queue. A job's time limit is a minute at least, so an administrator ends it sooner. mini_cluster.sh takes longer and tries more.
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
own_machine 3000 "$0" "$(realpath "$1")" "${@:2}"
colltree=$1/colltree
for program in sqlite3 srun mpirun.openmpi; do command -v $program >/dev/null || skip "$program is not installed"; done
begin_nodes 4 1000
begin_slurm 2
. "$source/campaigns.sh"

tune undisturbed --time=30 &
undisturbed=$!
says undisturbed running
tune disturbed --time=30 &
disturbed=$!
says disturbed pending
wait $undisturbed || die "undisturbed"

# The coordinator in a job is killed: the next job continues.
measures disturbed 0
failed=$(jobs_of disturbed)
pkill -KILL -f 'colltree tune --launcher.*--system disturbed'
says disturbed ': failed'
measures disturbed "$failed"
cancelled=$(jobs_of disturbed)
scancel "$(job_id disturbed)"
wait $disturbed && die "a cancelled job is not the end"
grep -qE 'cancelled.*; the same command continues; [1-9][0-9]* cells are stored$' disturbed.err || die "not cancelled"

# Ranks that stopped cost nothing while Slurm looks, every half minute, for jobs beyond their time.
tune disturbed --time=30 --no-requeue &
disturbed=$!
measures disturbed "$cancelled"
pkill -STOP colltree-measur
timed_out=$(jobs_of disturbed)
scontrol update "JobId=$(job_id disturbed)" "EndTime=$(date -d '+1 second' +%Y-%m-%dT%H:%M:%S)" || die "no end time"
says disturbed ': timed_out'
measures disturbed "$timed_out"
pkill -STOP colltree-measur
fail_node n3
says disturbed ': node_failed'
heal_node n3
wait $disturbed || die "disturbed"
same_cells cancelled timed_out node_failed done
