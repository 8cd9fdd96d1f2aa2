#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# han_nodes.sh BUILD: Open MPI 5's coll/han on four nodes with two ranks each, network namespaces of this machine: a file with rules
# of coll/han is obeyed, every threshold shows itself, a job that is not handed the file is found out; `tune` says who decides
# and writes both files. Exit code 77: skipped, it says why. Works in a chroot too (tools/debian_chroot.sh trixie).
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
colltree=$build/colltree
skip() { echo "skipped: $*"; exit 77; }
version=$(mpirun.openmpi --version 2>/dev/null | sed -n 's/.*(Open MPI) //p')
case $version in 5.*) ;; *) skip "Open MPI ${version:-is not installed}: coll/han stands above coll/tuned from 5.0 on" ;; esac
[ "$(id -u)" -eq 0 ] || skip "needs root"
for program in ip nsenter unshare; do command -v $program >/dev/null || skip "$program is not installed"; done
ip netns add try-colltree 2>/dev/null && ip netns del try-colltree || skip "no network namespaces here"
[ -z "$(ip netns list | grep -xE '(n[1-4]|switch)( .*)?')" ] || skip "there are network namespaces n1 to n4 already"

work=$(mktemp -d)
nodes="n1 n2 n3 n4"
die() { echo "FAILED: $*" >&2; exit 1; }
end_nodes() {
  local node
  for node in $nodes; do kill -KILL $(ip netns pids $node); done
  for node in $nodes switch; do ip netns del $node; done
  rm -rf "$work"
} 2>/dev/null
trap end_nodes EXIT
trap "exit 1" INT TERM
# As `ip -n` does, which a chroot refuses.
within() { nsenter --net="/run/netns/$1" "${@:2}"; }
ip netns add switch
within switch ip link add bridge type bridge && within switch ip link set bridge up
for i in 1 2 3 4; do
  ip netns add n$i
  within switch ip link add p$i type veth peer name eth0 netns n$i && within switch ip link set p$i master bridge up
  within n$i ip addr add 10.77.0.$i/24 dev eth0
  within n$i ip link set eth0 up
  within n$i ip link set lo up
done
# What ssh is elsewhere: NODE COMMAND..., in the node's network, with its name, the names of all, and its own shared memory.
{ echo 127.0.0.1 localhost && for i in 1 2 3 4; do echo 10.77.0.$i n$i; done; } >"$work/hosts"
cat >"$work/agent" <<E2
#!/bin/sh
node=\$1
shift
exec nsenter --net="/run/netns/\$node" unshare -m --propagation unchanged -u sh -c 'hostname "\$1"
  mount -t tmpfs none /dev/shm; mount --bind $work/hosts /etc/hosts
  core=\$((\${1#n} % \$(nproc --all))); shift; exec taskset -c \$core sh -c "\$*"' sh "\$node" "\$@"
E2
cat >"$work/launch" <<E2
#!/bin/sh
ranks=\$1
shift
exec $work/agent n1 mpirun.openmpi --prtemca plm_ssh_agent $work/agent --host n1:2,n2:2,n3:2,n4:2 --bind-to none -np "\$ranks" "\$@"
E2
chmod +x "$work/agent" "$work/launch"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=tcp,sm,self
launcher="$work/launch {ranks}"

check() { "$colltree" check "$here/../campaign/han.rules" --for openmpi-han --live --mpi openmpi --launcher "$1" --communicator-sizes 4,6,8 >out 2>err; }
check "$launcher" || die "$(tail -n 20 out err)"
echo "proof openmpi-han obeyed: $(sed -n 's/^live, //p' out)"
grep -q ' 0 mismatches, 0 thresholds not shown, 0 not tried' out || die "$(cat out err)"
printf '#!/bin/sh\nexec %s/launch "$1" "$2" "$3"\n' "$work" >deaf
chmod +x deaf
check "$work/deaf {ranks}" && die "a file that is not loaded passes"
grep -q 'does not do what the file says' err || die "$(cat err)"

"$colltree" tune --source openmpi --mpi openmpi --launcher "$launcher" --collective bcast --communicator-sizes 2,8 --message-sizes 8,64K \
  --segment-sizes 0 --methods binomial,pipeline,han_simple --samples 1..10 --cell-budget 0.2 --foreign-load 0 --sessions 0 --caution 0 --details -o t >out 2>err || die "$(tail -n 5 out err)"
grep 'who decides' out
grep -q 'who decides: bcast: coll/han on 8 ranks, coll/tuned on 2$' out || die "$(cat out)"
grep -q 'export OMPI_MCA_coll_han_dynamic_rules_filename=' out || die "$(cat out)"
"$colltree" check t/rules.openmpi-han --for openmpi-han --live --mpi openmpi --launcher "$launcher" --communicator-sizes 8 >out 2>err || die "$(cat out err)"
echo "proof openmpi-han obeyed: $(sed -n 's/^live, //p' out)"
# Both files are loaded together where what they gain is measured.
printf '#!/bin/sh\necho "$@" | grep -o "coll_[a-z]*_dynamic_rules_filename" | wc -l >>%s/loaded\nexec %s/launch "$@"\n' "$work" "$work" >telling
chmod +x telling
"$colltree" verify --mpi openmpi --launcher "$work/telling {ranks}" --rules t/rules.openmpi-5* --rules t/rules.openmpi-han \
  --collective bcast --communicator-sizes 8 --message-sizes 64K --rounds 2 --samples 3 >out 2>err || die "$(cat out err)"
grep -q '^bcast  *8  *65536 ' out || die "$(cat out)"
[ "$(tail -n 4 loaded | tr '\n' ' ')" = '0 2 2 0 ' ] || die "jobs by files that they were handed: $(cat loaded)"
echo ok
