#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A Debian release in a folder with what colltree needs, to build and test there. As root, with debootstrap installed:
#   tools/debian_chroot.sh RELEASE FOLDER               makes it, or installs what is missing there
#   tools/debian_chroot.sh RELEASE FOLDER COMMAND...    the same, then runs COMMAND there in this checkout
#   tools/debian_chroot.sh trixie /var/tmp/trixie bash -c 'cmake --preset dev && cmake --build --preset dev && ctest --preset dev'
# Inside, this checkout is /colltree (the same files, not a copy), except that /colltree/build is FOLDER/colltree-build.
# Mounts live in a namespace that ends with the command, so FOLDER can be removed like any other. How this machine
# reaches its registries (apt's Acquire settings, added certificate authorities) is taken over.
#   COLLTREE_CHROOT_MIRROR   where Debian's packages are; the mirror in this machine's own sources (debian_mirror.sh)
#   COLLTREE_CHROOT_SETS     sets of tools/install_dependencies.sh; thorough
#   COLLTREE_CHROOT_ONLY     instead of them: the only packages to install
set -eu
[ $# -ge 2 ] || { echo "usage: debian_chroot.sh RELEASE FOLDER [COMMAND...]" >&2; exit 2; }
release=$1 root=$2
shift 2
checkout=$(cd "$(dirname "$0")/.." && pwd)
read -ra sets <<<"${COLLTREE_CHROOT_SETS-thorough}"
stamp=$root/.colltree-base
fail() { echo "debian_chroot.sh: $*" >&2; exit 1; }

make_base() {
  command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
  [ ! -d "$root" ] || [ -z "$(ls -A "$root")" ] || fail "$root is not empty: give a new folder"
  mirror=${COLLTREE_CHROOT_MIRROR:-$("$checkout/tools/debian_mirror.sh")} || fail "set COLLTREE_CHROOT_MIRROR"
  log=$(mktemp)
  debootstrap --variant=minbase --include=ca-certificates "$release" "$root" "$mirror" >"$log" 2>&1 \
    || { tail -n 3 "$log" >&2; fail "debootstrap failed, see $log; remove $root before the next try"; }
  apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' >"$root/etc/apt/apt.conf.d/90host" || true
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
  chroot "$root" update-ca-certificates >/dev/null 2>&1
  # Nobody misses it after a crash of the machine.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90unsafe"
  rm -f "$log"
  echo "$release" >"$stamp"
}

# inside COMMAND...: runs it in the checkout of the chroot.
inside() {
  unshare --mount --propagation private -- bash -eu -c '
    root=$1 checkout=$2 repository=$3
    shift 3
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    mount --bind "$checkout" "$root/colltree"
    mount --bind "$root/colltree-build" "$root/colltree/build"
    [ -z "$repository" ] || mount --bind "$repository" "$root$repository"
    exec chroot "$root" env HOME=/root OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      bash -c "cd /colltree && exec \"\$@\"" command "$@"' inside "$root" "$checkout" "$repository" "$@"
}

[ "$(id -u)" -eq 0 ] || fail "run it as root: debootstrap and chroot need it"
[ -e "$stamp" ] || make_base
[ "$(cat "$stamp")" = "$release" ] || fail "$root holds $(cat "$stamp"), not $release"
root=$(cd "$root" && pwd)
# The .git of a worktree is a file with the path of its repository.
repository=
[ ! -f "$checkout/.git" ] || repository=$(git -C "$checkout" rev-parse --path-format=absolute --git-common-dir)
mkdir -p "$root/colltree" "$root/colltree-build" "$checkout/build" "$root$repository"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
if [ -n "${COLLTREE_CHROOT_ONLY-}" ]; then
  read -ra only <<<"$COLLTREE_CHROOT_ONLY"
  inside dpkg --status "${only[@]}" >/dev/null 2>&1 || {
    inside apt-get update -qq
    DEBIAN_FRONTEND=noninteractive inside apt-get install -y -qq --no-install-recommends "${only[@]}" >/dev/null
  }
else
  inside tools/install_dependencies.sh "${sets[@]}"
fi
[ $# -eq 0 ] || inside "$@"
