#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# intel_nodes.sh BUILD: Intel MPI on two nodes with two ranks each (nodes.sh), over the machine's libfabric (tcp): each threshold of both
# forms of rules is where the library switches, and a campaign on one and both nodes goes through.
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
own_machine 3000 "$0" "$(realpath "$1")"
colltree=$1/colltree
export PATH=$PATH:$source/../../build/live/bin
command -v mpirun.intel >/dev/null || skip "mpirun.intel is not installed"
ldconfig -p | grep -q 'libfabric\.so\.1 ' || skip "libfabric is not installed"
begin_nodes 2
export I_MPI_FABRICS=shm:ofi FI_PROVIDER=tcp FI_TCP_IFACE=eth0 I_MPI_HYDRA_IFACE=eth0
cat >launch <<L
#!/bin/sh
ranks=\$1
shift
exec $work/agent n1 mpirun.intel -bootstrap ssh -bootstrap-exec $work/agent -hosts n1,n2 -ppn 2 -np "\$ranks" "\$(printf "'%s' " "\$@")" # the agent gives it to a shell
L
chmod +x launch
launcher="$work/launch {ranks}"
ok() { "$@" >out 2>err || die "exit code $?: $*: $(cat out err)"; }

printf '# one collective\nexport I_MPI_ADJUST_BCAST="1:0-1024;3:1025-2147483647"\n' >rules.sh
echo '{"coll=Bcast": {"ppn=-1": {"comm_size=3": {"comm_id=-1": {"msg_size=2048": {"BCAST=1": {}}, "msg_size=-1": {"BCAST=3": {}}}},
  "comm_size=-1": {"comm_id=-1": {"msg_size=4096": {"BCAST=3": {}}, "msg_size=-1": {"BCAST=1": {}}}}}}}' >rules.json
for rules in rules.sh rules.json; do
  ok "$colltree" check $rules
  target=$(sed -n 's/^rules.* for \(intel[^:]*\):.*/\1/p' out)
  ok "$source/../live/prove.py" "$colltree" "${colltree%/*}/tests/entered_intel" $rules "$launcher"
  echo "proof ${target:?} obeyed: intel on 2 nodes: $(tail -n 1 out)"
done
ok "$colltree" measure --source intel --mpi intel --launcher "$launcher" --collective bcast --communicator-sizes 2,4 --message-sizes 4K \
  --methods binomial,scatter_allgather_ring,default --samples 1..3 --cell-budget 0.2 --foreign-load 0 --system two -o two.db
[ "$(sqlite3 two.db "SELECT communicator_size, nodes, count(*) FROM cells WHERE status = 'ok' GROUP BY 1, 2" | tr '\n' ' ')" = '2|1|3 4|2|3 ' ] ||
  die "not each placement was measured: $(cat out err)"
echo ok
