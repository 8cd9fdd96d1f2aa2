#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# chroot.sh BUILD FOLDER [RELEASE [beside]]: the kit as `colltree measure kit` packs it, built and run in a Debian (bookworm; or trixie) that has make,
# g++ and MPI libraries and nothing else of what colltree is built with, by Open MPI and by MPICH; imported here; with
# `beside`, what the full tool measures here stands beside it. As root, with debootstrap; FOLDER is made and may be used
# again. Prints the systems and the ratio of their times.
set -eu
build=$1
root=$2
release=${3:-bookworm}
colltree=$build/colltree
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ "$(id -u)" -eq 0 ] || { echo "chroot.sh: run it as root" >&2; exit 1; }
# inside COMMAND: in the folder of the kit there.
export COLLTREE_CHROOT_ONLY="make g++ openmpi-bin libopenmpi-dev mpich libmpich-dev"
chroot_of=$(dirname "$0")/../../tools/debian_chroot.sh
inside() {
  "$chroot_of" "$release" "$root" env PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash -euc "cd /kit/colltree-kit && $1"
}
"$chroot_of" "$release" "$root"
! ls "$root"/usr/include/fmt "$root"/usr/include/sqlite3.h 2>/dev/null ||
  { echo "chroot.sh: $root has more than make, g++ and MPI" >&2; exit 1; }
# "CELL MEDIAN_US" of an export.
medians() {
  tail -n +2 | awk -F, '{ print $3 "/" $4 "/" $7 "/" $8 "/" $9, $11 }' | LC_ALL=C sort -k1,1 -k2,2g |
    awk '$1 != cell { if (n) print cell, t[int((n + 1) / 2)]; cell = $1; n = 0 } { t[++n] = $2 } END { print cell, t[int((n + 1) / 2)] }'
}
# On a loaded machine a cell may fail: it is measured again.
by_kit() {
  local results=$root/kit/colltree-kit/colltree-kit.results
  for _ in 1 2 3 4 5; do
    inside "./colltree-kit --launcher '$launcher'" 2>&1 | tail -n 1
    grep -q '"cannot_run":false' "$results" || return 0
    sed -i '/"cannot_run":false/d' "$results"
  done
}
by_full_tool() {
  for _ in 1 2 3 4 5; do
    "$colltree" measure --source "$source" "${what[@]}" --launcher "$launcher" --retry failed -o "$1" 2>/dev/null | tee "$work/said"
    grep -q ' 0 failed' "$work/said" && return 0
  done
}
work=$(mktemp -d)
what=(--collective bcast,reduce,alltoall --communicator-sizes 2 --message-sizes 1..64K:x16 --segment-sizes 0,8K
      --samples 20..60 --cell-budget 0.5 --foreign-load 0)
for flavour in openmpi mpich; do
  launcher="mpirun.$flavour -np {ranks}"
  for source in portable "$flavour"; do
    name=$flavour-$source
    "$colltree" measure kit --source "$source" "${what[@]}" -o "$work/kit.tar.gz" >/dev/null
    rm -rf "$root/kit"
    mkdir -p "$root/kit"
    if [ "$source" = portable ]; then
      tar xzf "$work/kit.tar.gz" -C "$root/kit"
      SECONDS=0
      inside "make -s -j2 MPICXX=mpicxx.$flavour"
      echo "$flavour: built in $SECONDS s"
      cp -r "$root/kit" "$work/$flavour"
    else
      cp -r "$work/$flavour/." "$root/kit"
      rm "$root/kit/colltree-kit/colltree-kit.results"
      tar xzf "$work/kit.tar.gz" -C "$root/kit" colltree-kit/plan
    fi
    by_kit
    [ "$source" = portable ] && cp "$root/kit/colltree-kit/colltree-kit.results" "$work/$flavour/colltree-kit"
    "$colltree" import "$root/kit/colltree-kit/colltree-kit.results" -o "$work/$name-kit.db"
    [ "${4-}" = beside ] || continue
    by_full_tool "$work/$name-full.db"
    by_full_tool "$work/$name-again.db"
    diff <("$colltree" export "$work/$name-kit.db" -o - | cut -d, -f1-9 | sort -u) \
      <("$colltree" export "$work/$name-full.db" -o - | cut -d, -f1-9 | sort -u) && echo "$name: the same cells and system"
    # Median of the cells' ratios of median times: kit to full tool, full tool to itself.
    for other in kit again; do
      LC_ALL=C join <("$colltree" export "$work/$name-full.db" -o - | medians) <("$colltree" export "$work/$name-$other.db" -o - | medians) |
        awk '{ print $3 / $2 }' | sort -g | awk -v what="$name: $other beside full" \
          '{ r[NR] = $1 } END { printf "%s: median ratio %.2f, middle half %.2f to %.2f, %d cells\n", what, r[int((NR + 1) / 2)], r[int((NR + 3) / 4)], r[int((3 * NR + 3) / 4)], NR }'
    done
  done
done
rm -rf "$work"
