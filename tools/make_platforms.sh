#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Writes platforms/*.xml. The parameters are estimates from the class of each link (not calibrated:
# the papers' machines are gone); change them here and run again. Values: ../docs/tasks/simulating.md.
set -eu
cd "$(dirname "$0")/../platforms"

# head TITLE GRID EAGER OS_US OS_NS_PER_BYTE OIS_US BW_FACTOR LAT_FACTOR REDUCE_NS COPY_NS COMMENT
head_of() {
  cat <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- SPDX-License-Identifier: BSD-3-Clause
     ${11}
     Simulated: estimates from the class of the links, not calibrated on the machine.
     Written by tools/make_platforms.sh. colltree/* are charged by colltree's own reduction operation
     and local copies; everything else is SimGrid's. -->
<platform version="4.1">
  <config>
    <prop id="network/model" value="IB"/>
    <prop id="network/crosstraffic" value="0"/>
    <prop id="surf/precision" value="1e-9"/>
    <prop id="contexts/stack-size" value="512"/>
    <prop id="smpi/simulate-computation" value="no"/>
    <prop id="smpi/wtime" value="0"/>
    <prop id="smpi/host-speed" value="1Gf"/>
    <prop id="smpi/coll-selector" value="ompi"/>
    <prop id="smpi/async-small-thresh" value="0"/>
    <prop id="smpi/send-is-detached-thresh" value="$3"/>
    <prop id="smpi/os" value="0:$4e-6:$5e-9"/>
    <prop id="smpi/ois" value="0:$4e-6:$5e-9;$3:$6e-6:0"/>
    <prop id="smpi/or" value="0:$4e-6:$5e-9"/>
    <prop id="smpi/bw-factor" value="$7"/>
    <prop id="smpi/lat-factor" value="0:1.0;$3:$8"/>
  </config>
  <zone id="$(tr '[:upper:]' '[:lower:]' <<<"${1%%:*}")" routing="Full">
    <prop id="colltree/title" value="$1"/>
    <prop id="colltree/grid" value="$2"/>
    <prop id="colltree/reduce_ns_per_byte" value="$9"/>
    <prop id="colltree/copy_ns_per_byte" value="${10}"/>
XML
}

# flat NAME LAST_NODE BANDWIDTH LATENCY LOOPBACK_BANDWIDTH LOOPBACK_LATENCY
flat() {
  cat <<XML
    <cluster id="$1-nodes" prefix="$1-" suffix="" radical="0-$2" speed="1Gf" bw="$3" lat="$4"
             loopback_bw="$5" loopback_lat="$6"/>
  </zone>
</platform>
XML
}

{ head_of "Grig: 64 nodes, Fast Ethernet" grig 65536 7 1.5 7 "0:0.93" 3.0 1.0 0.83 \
    "After Grig, University of Tennessee (2006, section 5; 2007, section 4): 64 nodes, Fast Ethernet."
  flat grig 63 12.5MBps 25us 600MBps 1.5us; } > grig.xml

{ head_of "Frodo: 64 nodes, Myrinet 2G" frodo 32768 0.6 0.35 1.0 "0:0.70;4096:0.85;32768:0.97" 4.0 0.8 0.67 \
    "After Frodo, University of Tennessee (2007, section 4): 64 nodes, Myrinet 2G with MX."
  flat frodo 63 250MBps 1.6us 800MBps 0.6us; } > frodo.xml

{ head_of "Nano: 128 nodes, InfiniBand" nano 12288 0.5 0.3 0.8 "0:0.45;2048:0.65;12288:0.95" 3.5 0.6 0.5 \
    "After Nano, Lawrence Berkeley National Laboratory (2006, section 5): 128 nodes, InfiniBand."
  flat nano 127 950MBps 1.8us 1.2GBps 0.5us; } > nano.xml

# Sixteen nodes of eight cores on two leaf switches; each uplink carries half of its leaf's traffic.
# Inside a node all pairs share one memory link, so that intra-node transfers contend. Ranks are put on
# hosts in the order of their names: node numbers have two digits.
modern() {
  head_of "Modern: 16 nodes of 8 cores, two-level fat tree" modern 16384 0.15 0.08 0.3 \
    "0:0.30;2048:0.55;16384:0.92" 3.5 0.1 0.1 \
    "A modern cluster: 16 nodes of 8 cores, 24 GB/s links, two leaf switches, memory shared in the node."
  echo '    <prop id="colltree/ranks_per_node" value="8"/>'
  for node in $(seq -w 0 15); do
    echo "    <zone id=\"node-$node\" routing=\"Full\">"
    for core in 0 1 2 3 4 5 6 7; do echo "      <host id=\"modern-$node-$core\" speed=\"1Gf\"/>"; done
    cat <<XML
      <router id="switch-$node"/>
      <link id="memory-$node" bandwidth="20GBps" latency="0.12us" sharing_policy="SHARED"/>
      <link id="nic-$node" bandwidth="24GBps" latency="0.25us" sharing_policy="SPLITDUPLEX"/>
XML
    for core in 0 1 2 3 4 5 6 7; do
      echo "      <route src=\"modern-$node-$core\" dst=\"modern-$node-$core\"><link_ctn id=\"memory-$node\"/></route>"
      echo "      <route src=\"modern-$node-$core\" dst=\"switch-$node\"><link_ctn id=\"nic-$node\" direction=\"UP\"/></route>"
      for ((other = core + 1; other < 8; ++other)); do
        echo "      <route src=\"modern-$node-$core\" dst=\"modern-$node-$other\"><link_ctn id=\"memory-$node\"/></route>"
      done
    done
    echo "    </zone>"
  done
  echo '    <link id="leaf-0" bandwidth="192GBps" latency="0.1us" sharing_policy="FATPIPE"/>'
  echo '    <link id="leaf-1" bandwidth="192GBps" latency="0.1us" sharing_policy="FATPIPE"/>'
  echo '    <link id="uplink-0" bandwidth="96GBps" latency="0.2us" sharing_policy="SPLITDUPLEX"/>'
  echo '    <link id="uplink-1" bandwidth="96GBps" latency="0.2us" sharing_policy="SPLITDUPLEX"/>'
  for node in $(seq 0 15); do
    for ((other = node + 1; other < 16; ++other)); do
      if ((node / 8 == other / 8)); then links="<link_ctn id=\"leaf-$((node / 8))\"/>"; else
        links="<link_ctn id=\"uplink-$((node / 8))\" direction=\"UP\"/><link_ctn id=\"uplink-$((other / 8))\" direction=\"DOWN\"/>"; fi
      printf '    <zoneRoute src="node-%02d" dst="node-%02d" gw_src="switch-%02d" gw_dst="switch-%02d">%s</zoneRoute>\n' \
        "$node" "$other" "$node" "$other" "$links"
    done
  done
  printf '  </zone>\n</platform>\n'
}
modern > modern.xml

# cluster NAME TITLE TOPOLOGY LINK_BYTES_PER_S: 4096 nodes of 64 cores in four NUMA domains, which
# colltree-simulate makes itself (libs/mpi/rank/built_platform.h). Sources: docs/results/simulation.md.
cluster() {
  head_of "$1: $2" cluster 8192 0.1 0.05 0.25 "0:0.40;2048:0.60;8192:0.93" 2.5 0.1 0.1 \
    "A cluster of 2025: $2."
  cat <<XML
    <prop id="colltree/ranks_per_node" value="64"/>
    <prop id="colltree/numa_domains" value="4"/>
    <prop id="colltree/topology" value="$3"/>
    <prop id="colltree/network_link" value="$4 $5"/>
    <prop id="colltree/card_link" value="$4 $6"/>
    <prop id="colltree/core_link" value="12e9 0.01"/>
    <prop id="colltree/domain_memory" value="60e9 0.03"/>
    <prop id="colltree/between_domains" value="40e9 0.08"/>
  </zone>
</platform>
XML
}
fat_tree="FAT_TREE 3;16,16,16;1,16,16;1,1,1"
dragonfly="DRAGONFLY 16,8;4,2;4,1;16"
cluster fattree200 "4096 nodes of 64 cores, fat tree, 200 Gbit/s" "$fat_tree" 25e9 0.15 0.40 > fattree200.xml
cluster fattree400 "4096 nodes of 64 cores, fat tree, 400 Gbit/s" "$fat_tree" 50e9 0.15 0.40 > fattree400.xml
cluster dragonfly200 "4096 nodes of 64 cores, dragonfly, 200 Gbit/s" "$dragonfly" 25e9 0.35 0.30 > dragonfly200.xml
cluster dragonfly400 "4096 nodes of 64 cores, dragonfly, 400 Gbit/s" "$dragonfly" 50e9 0.35 0.30 > dragonfly400.xml
