#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# chroot.sh RELEASE FOLDER DEB: the package DEB on a bare Debian (debootstrap, minbase) in FOLDER, which is made where it is not there:
# apt installs it with what it needs; README's first job from the installed program, a campaign under each MPI library that it
# measures with, man page and completion; purged, nothing is left but what apt itself keeps. As root, with debootstrap; not in CI.
#   tests/install/chroot.sh trixie /var/tmp/bare build/release/colltree_1.0.0_amd64.deb
set -eu
release=$1 root=$2 package=$(realpath "$3")
[ "$(id -u)" -eq 0 ] || { echo "chroot.sh: run it as root" >&2; exit 1; }
[ -z "${COLLTREE_IN_NAMESPACE-}" ] && COLLTREE_IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child --propagation private "$0" "$@"
fail() { echo "FAILED: $*" >&2; exit 1; }
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase --include=ca-certificates "$release" "$root" >/dev/null
apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' >"$root/etc/apt/apt.conf.d/90host" || true
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t tmpfs none "$root/mnt"
cp "$package" "$root/mnt/colltree.deb"
inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash -eu -c "cd /mnt; $1"
}
files() { (cd "$root" && find etc usr opt var/lib -xdev \( -path var/lib/apt -o -path var/lib/dpkg \) -prune -o -print | sort); }
inside 'apt-get update -qq; ! command -v colltree' || fail "$root has colltree already"
files >"$root/mnt/before"
inside 'apt-get install -y -qq --no-install-recommends /mnt/colltree.deb >log 2>&1 || { tail -n 5 log; exit 1; }'
inside 'colltree --version; dpkg -s colltree | grep -E "^(Version|Depends)"'
# README's first job.
inside 'time colltree tune --platform grig --methods papers --budget 5% -o grig-tuned >out 2>err || { tail -n 5 err; exit 1; }; grep -A 4 "^bcast: penalty" out; ls grig-tuned | wc -l'
for flavour in openmpi mpich; do
  inside "[ -x /usr/libexec/colltree/colltree-measure-$flavour ]" || continue
  inside "command -v mpirun.$flavour >/dev/null || apt-get install -y -qq --no-install-recommends $flavour\$([ $flavour = mpich ] || echo -bin) >log 2>&1
    colltree measure --mpi $flavour --launcher 'mpirun.$flavour -np {ranks}' --collective bcast --communicator-sizes 2 --message-sizes 1,1K --methods binomial,default \
      --foreign-load 0 --system bare-$flavour -o real.db"
done
inside 'test -s /usr/share/man/man1/colltree.1* || echo "(this release leaves man pages out)"; . /usr/share/bash-completion/completions/colltree; complete -p colltree'
inside 'apt-get purge -y -qq colltree >log 2>&1; ! command -v colltree'
left=$(files | LC_ALL=C comm -13 "$root/mnt/before" - | grep -i colltree || true)
[ -z "$left" ] || fail "left behind: $left"
inside 'apt-get autoremove --purge -y -qq >log 2>&1; apt-get purge -y -qq openmpi-bin mpich >>log 2>&1; apt-get autoremove --purge -y -qq >>log 2>&1; dpkg -l | grep -c "^ii"'
echo "ok: $(cat "$root/etc/debian_version")"
