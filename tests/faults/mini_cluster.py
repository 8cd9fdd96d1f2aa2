# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes of two ranks for Open MPI: network namespaces of this machine behind one bridge, each with its own name. Needs root."""
import os
import subprocess

NODES = {"f1": "10.78.0.1", "f2": "10.78.0.2"}

# What ssh is elsewhere: NODE COMMAND...
AGENT = """#!/bin/sh
node=$1
shift
exec nsenter --net="/run/netns/$node" unshare -m --propagation unchanged -u sh -c 'hostname "$1"
  mount --bind {folder}/hosts /etc/hosts
  shift; exec sh -c "$*"' sh "$node" "$@"
"""


def run(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


class MiniCluster:
    def __init__(self, folder):
        self.agent = folder / "agent"
        (folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{ip} {node}\n" for node, ip in NODES.items()))
        self.agent.write_text(AGENT.format(folder=folder))
        self.agent.chmod(0o755)
        run("ip", "netns", "add", "fswitch")
        run("ip", "-n", "fswitch", "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", "fswitch", "link", "set", "bridge", "up")
        for node, ip in NODES.items():
            run("ip", "netns", "add", node)
            run("ip", "-n", "fswitch", "link", "add", f"p{node}", "type", "veth", "peer", "name", "eth0", "netns", node)
            run("ip", "-n", "fswitch", "link", "set", f"p{node}", "master", "bridge", "up")
            run("ip", "-n", node, "addr", "add", f"{ip}/24", "dev", "eth0")
            for link in ("eth0", "lo"):
                run("ip", "-n", node, "link", "set", link, "up")

    def launch(self):
        hosts = ",".join(f"{node}:2" for node in NODES)
        return f"{self.agent} f1 mpirun.openmpi --mca plm_rsh_agent {self.agent} --host {hosts} --mca btl tcp,vader,self --mca mpi_yield_when_idle 1 --bind-to none"

    def processes(self, node):
        said = subprocess.run(("ip", "netns", "pids", node), capture_output=True, text=True)
        return [int(pid) for pid in said.stdout.split()]

    def end(self):
        for node in NODES:
            for pid in self.processes(node):
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    pass
        for name in (*NODES, "fswitch"):
            subprocess.run(("ip", "netns", "del", name), stderr=subprocess.DEVNULL)
