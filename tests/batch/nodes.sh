# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests that want several nodes. own_machine begins the script again in namespaces of its own (network, mounts,
# processes, host name), which end with it, however it ends: nothing stays, not a daemon, and no other test is met. It is the
# login node; begin_nodes adds nodes: a network namespace each behind its bridge, with a name, shared memory, a core of its
# own (so that ranks know that they share one, and yield) and, if wanted, its own clock; files are shared. begin_slurm starts Slurm on them. What a machine cannot do is a line "skipped: ..." and exit code 77.

skip() { echo "skipped: $*"; exit 77; }
die() {
  echo "FAILED: $*" >&2
  tail -n 3 "$work"/*.err "$work"/*/batch/*.out "$work"/log/* >&2 2>/dev/null
  exit 1
}

# own_machine MOST_SECONDS SCRIPT ARGUMENT...: failed after so long.
own_machine() {
  if [ -n "${COLLTREE_OWN_MACHINE-}" ]; then
    # Files of this machine, in memory; what ssh would be: `agent NODE COMMAND...`.
    work=$COLLTREE_OWN_MACHINE
    mount -t tmpfs none "$work" && mount -t tmpfs none /run && mkdir "$work/log" "$work/own" /run/netns || skip "cannot mount"
    cd "$work" || exit 1
    trap 'die "not done after $SECONDS s"' TERM
    (sleep "$1"; kill -TERM 1) &
    disown
    return
  fi
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  local program propagation=private
  for program in ip nsenter unshare timeout setpriv; do command -v $program >/dev/null || skip "$program is not installed"; done
  # In a chroot mounts are private already (tools/debian_chroot.sh), and / is no mount that could be made so.
  unshare -m true 2>/dev/null || propagation=unchanged
  unshare -m -u -i -n -p -f --propagation $propagation true 2>/dev/null || skip "no namespaces here"
  COLLTREE_OWN_MACHINE=$(mktemp -d)
  export COLLTREE_OWN_MACHINE
  trap 'rmdir "$COLLTREE_OWN_MACHINE"' EXIT
  # Who is killed takes the others along.
  local dies="setpriv --pdeathsig KILL"
  $dies timeout -s KILL $(($1 + 10)) $dies unshare -m -u -i -n -p -f --kill-child=KILL --propagation $propagation --mount-proc "${@:2}" </dev/null
  exit $?
}

# begin_nodes COUNT [SHIFT]: n1, n2, ...; the clocks (monotonic, since boot) of nI are I times SHIFT seconds ahead.
begin_nodes() {
  local i
  shift_s=${2:-0}
  if [ "$shift_s" != 0 ] && ! unshare -T --monotonic=1 -f true 2>/dev/null; then
    echo "clocks are not shifted: no time namespaces here"
    shift_s=0
  fi
  nodes=$(seq -f 'n%.0f' "$1")
  hostname login
  ip link set lo up
  ip link add bridge type bridge && ip addr add 10.77.0.254/24 dev bridge && ip link set bridge up || skip "no bridge between network namespaces here"
  { echo 127.0.0.1 localhost && echo 10.77.0.254 login && for i in $(seq "$1"); do echo 10.77.0.$i n$i; done; } >hosts
  mount --bind hosts /etc/hosts
  for i in $(seq "$1"); do
    ip netns add n$i && ip link add p$i type veth peer name eth0 netns n$i && ip link set p$i master bridge up || skip "no network namespaces here"
    within n$i ip addr add 10.77.0.$i/24 dev eth0
    within n$i ip link set eth0 up
    within n$i ip link set lo up
  done
  cat >agent <<A
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done # options of ssh: MPICH's launcher says -x, Intel MPI's -q
node=\$1
shift
exec nsenter --net="/run/netns/\$node" unshare -m --propagation unchanged -u -i -T -f --kill-child=KILL \\
  --monotonic=\$((\${node#n} * $shift_s)) --boottime=\$((\${node#n} * $shift_s)) sh -c 'hostname "\$1"
  mount -t tmpfs none /dev/shm; mount -t tmpfs none $work/own
  core=\$((\${1#n} % \$(nproc --all))); shift; exec taskset -c \$core sh -c "\$*"' sh "\$node" "\$@"
A
  [ "$shift_s" != 0 ] || sed -i 's/ -T -f .*/ \\/; s/^  --monotonic.* sh -c/  sh -c/' agent
  chmod +x agent
}
within() { nsenter --net="/run/netns/$1" "${@:2}"; } # NODE COMMAND...: its network only
fail_node() { ip link set "p${1#n}" down; }          # its link
heal_node() { ip link set "p${1#n}" up; }

# begin_slurm CPUS: on all nodes, with CPUS CPUs each, whatever the machine has. A node is given up after some seconds, not minutes.
begin_slurm() {
  local node i program
  for program in slurmctld slurmd sbatch munged; do command -v $program >/dev/null || skip "$program is not installed"; done
  export SLURM_CONF=$work/slurm.conf
  head -c 1024 /dev/urandom >munge.key
  chmod 400 munge.key
  chmod 755 "$work"
  mkdir -m 755 munge
  munged --key-file="$work/munge.key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" || skip "munged does not start"
  cat >"$SLURM_CONF" <<S
ClusterName=mini
SlurmctldHost=login(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SlurmdTimeout=5
MessageTimeout=4
ReturnToService=2
KillWait=2
MpiDefault=pmix
$(for node in $nodes; do echo "NodeName=$node NodeAddr=10.77.0.${node#n} CPUs=$1 State=UNKNOWN"; done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
S
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >cgroup.conf
  printf 'PMIxCliTmpDirBase=%s\n' "$work/own" >mpi.conf
  slurmctld
  for node in $nodes; do ./agent $node slurmd -N $node; done
  for i in $(seq 60); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$(echo "$nodes" | wc -l)" ] && return
    sleep 0.5
  done
  skip "the nodes of $(scontrol --version) are not idle after 30 s: $(tail -qn 2 log/*)"
}
