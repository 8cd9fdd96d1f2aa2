#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mini_cluster.sh BUILD [quick]: `tune --slurm` on a real Slurm of four nodes with two ranks each, network namespaces of this
# machine. Jobs of which one is cancelled, one loses a node and, unless quick, two reach a time limit of one minute, end with the
# cells of one job that nobody disturbed; two campaigns wait in one queue. Exit code 77: skipped, it says why.
# Needs root, and Debian's slurmctld, slurmd, slurm-client, munge, iproute2; leaves what it finds in /etc as it was.
set -u
build=$(realpath "$1")
quick=${2:-}
source=$(cd "$(dirname "$0")" && pwd)
colltree=$build/colltree
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
for program in slurmctld slurmd sbatch munged ip sqlite3 mpirun.openmpi; do command -v $program >/dev/null || skip "$program is not installed"; done
ip netns add try-colltree 2>/dev/null && ip netns del try-colltree || skip "no network namespaces here"
[ -z "$(ip netns list)" ] || skip "there are network namespaces already"

work=$(mktemp -d)
export SLURM_CONF=$work/slurm.conf
nodes="n1 n2 n3 n4"
die() { echo "FAILED: $*" >&2; tail -n 3 "$work"/*/batch/*.out "$work"/*.err >&2; exit 1; }
# A command on a node: its network, its name, its own /dev/shm and PMIx folder; other files are shared.
on() {
  ip netns exec "$1" unshare -m -u sh -c 'mount --bind "$1" /var/tmp/pmix; mount -t tmpfs none /dev/shm; hostname "$2"; shift 2; exec "$@"' \
    sh "$work/pmix-$1" "$@"
}
end_cluster() {
  local node
  [ -s "$work/munged.pid" ] && kill "$(cat "$work/munged.pid")"
  for node in $nodes; do kill -KILL $(ip netns pids $node); done
  for node in $nodes switch; do ip netns del $node; done
  rm -rf "$work"
} 2>/dev/null
trap end_cluster EXIT
trap "exit 1" INT TERM

begin_cluster() {
  local i
  ip netns add switch
  ip -n switch link add bridge type bridge && ip -n switch link set bridge up
  for i in 1 2 3 4; do
    ip netns add n$i
    ip -n switch link add p$i type veth peer name eth0 netns n$i && ip -n switch link set p$i master bridge up
    ip -n n$i addr add 10.77.0.$i/24 dev eth0
    ip -n n$i link set eth0 up
    ip -n n$i link set lo up
    mkdir -p "$work/pmix-n$i" /var/tmp/pmix
  done
  head -c 1024 /dev/urandom >"$work/munge.key"
  chmod 400 "$work/munge.key"
  mkdir "$work/munge" && chmod 755 "$work" "$work/munge"
  munged --key-file="$work/munge.key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" || skip "munged does not start"
  # A node is given up after some seconds, not five minutes; each claims two cores, whatever the machine has.
  cat >"$SLURM_CONF" <<S
ClusterName=mini
SlurmctldHost=n1(10.77.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SlurmdTimeout=5
MessageTimeout=4
ReturnToService=2
KillWait=5
MpiDefault=pmix
$(for i in 1 2 3 4; do echo "NodeName=n$i NodeAddr=10.77.0.$i CPUs=2 State=UNKNOWN"; done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
S
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$work/cgroup.conf"
  printf 'PMIxCliTmpDirBase=/var/tmp/pmix\n' >"$work/mpi.conf"
  on n1 slurmctld
  for i in $nodes; do on $i slurmd -N $i; done
  for i in $(seq 30); do
    [ "$(on n1 sinfo -h -t idle -o %D 2>/dev/null)" = 4 ] && return
    sleep 0.5
  done
  skip "the nodes of Slurm $(scontrol --version) are not idle after 15 s: $(tail -qn 2 "$work"/*.log)"
}
begin_cluster

cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=tcp,vader,self
# The nodes are one machine: each takes a core of it, so that ranks know that they share one, and yield.
cat >on_one_core <<'E'
#!/bin/sh
exec taskset -c $((SLURM_NODEID % $(nproc --all))) "$@"
E
chmod +x on_one_core
# So much that a limit of one minute ends jobs, or as little as can be disturbed.
if [ -n "$quick" ]; then
  limit=30 sizes=1,64 cell_s=0.2
else
  limit=1 sizes=1..64:x2 cell_s=0.7
fi
tune() { # FOLDER OPTIONS
  on n1 "$colltree" tune --slurm "-N 4 --ntasks-per-node=2 $2" --launcher "srun --mpi=pmix --kill-on-bad-exit=1 -n {ranks} $work/on_one_core" --mpi openmpi \
    --collective bcast --communicator-sizes 2,8 --message-sizes $sizes --segment-sizes 0 --min-samples 100000 --max-samples 100000 \
    --cell-budget $cell_s --foreign-load 0 --no-verify -o "$1" >"$1.out" 2>"$1.err"
}
says() { until grep -qE "$2" "$1.err"; do sleep 0.2; done 2>/dev/null; } # FOLDER PATTERN
# For a second, a job of a folder behind its N-th; srun does not always start one at the first try.
measures() {
  until [ "$(jobs_of "$1")" -gt "$2" ] && grep -q ': [1-9].* cells (' "$1/batch/job-$(jobs_of "$1").out"; do sleep 0.2; done 2>/dev/null
  sleep 1
}
cells() {
  sqlite3 "$1/profile.db" "SELECT DISTINCT collective, communicator_size, nodes, ranks_per_node, message_size, algorithm, segment_size, status
    FROM cells ORDER BY 1, 2, 3, 4, 5, 6, 7, 8"
}
jobs_of() { grep -c submitted "$1/batch/log"; }
ended() { sed -nE "s/^[0-9]+ ended ([a-z_]+) .* cells [1-9].*/\1/p" "$1/batch/log"; } # jobs that measured something

# Two campaigns in one queue: the second waits for the nodes of the first.
tune undisturbed --time=30 &
undisturbed=$!
says undisturbed running
tune disturbed --time=$limit &
disturbed=$!
says disturbed pending
measures disturbed 0
job=$(jobs_of disturbed)
on n1 scancel "$(sed -n "s/^$job submitted //p" disturbed/batch/log)"
wait $disturbed && die "a cancelled job is not the end"
grep -qE 'cancelled.*; the same command continues; [1-9][0-9]* cells are stored$' disturbed.err || die "not cancelled"
wait $undisturbed || die "undisturbed"

tune disturbed "--time=$limit --no-requeue" &
measures disturbed "$job"
ip -n n3 link set eth0 down
says disturbed ': node_failed'
ip -n n3 link set eth0 up
wait $! || die "disturbed"
for folder in undisturbed disturbed; do
  cat $folder.err
  tail -n 100 $folder/batch/log
done
diff <(cells undisturbed) <(cells disturbed) || die "other cells than undisturbed"
[ "$(cells disturbed | grep -c '|8|4|2|.*|ok$')" -ge 10 ] || die "not on four nodes with two ranks each"
for end in cancelled node_failed done $([ -n "$quick" ] || echo timed_out); do
  ended disturbed | grep -qx $end || die "no job that was $end: $(cat disturbed/batch/log)"
done
echo "ok: $(cells disturbed | wc -l) cells"
