#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the packages of the build tree, unpacks each somewhere and works from there; nothing of a .deb lies outside /usr,
# and both hold the same files. Then the wheel of the Python package. Usage: packages.sh CPACK BUILD_DIR
set -eu
cpack=$1
build=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
generators=TGZ
if command -v dpkg-deb dpkg-shlibdeps > /dev/null; then generators="TGZ;DEB"; else echo "no .deb: dpkg-dev is missing"; fi

"$cpack" --config "$build/CPackConfig.cmake" -G "$generators" -B "$scratch/made" > "$scratch/log" 2>&1 ||
  { cat "$scratch/log"; fail "cpack"; }
version=$("$build/colltree" --version)
mkdir "$scratch/tgz" "$scratch/deb"

works_from() {
  [ "$("$1/bin/colltree" --version)" = "$version" ] || fail "$1: --version"
  (cd "$scratch" && rm -f p.db &&
    "$1/bin/colltree" measure --platform grig --collective bcast --communicator-sizes 2 --message-sizes 1 -o p.db) ||
    fail "$1: measure"
  "$1/bin/colltree-c45" --version > /dev/null || fail "$1: colltree-c45"
  [ -s "$1/share/man/man1/colltree.1" ] || fail "$1: no man page"
}

plots_from() { # FOLDER: a plot by the package there, of the tool there
  (cd "$scratch" && rm -f map.png depth.svg && COLLTREE_PROGRAM=$build/colltree PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1 MPLCONFIGDIR=$scratch/matplotlib /usr/bin/python3 - "$1" << 'EOF'
import sys, matplotlib
matplotlib.use("agg")
import colltree
assert colltree.__file__.startswith(sys.argv[1]), colltree.__file__
colltree.plot.decision_map(colltree.read_profile("p.db"), "bcast").figure.savefig("map.png")
EOF
    COLLTREE_PROGRAM=$build/colltree PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1 MPLCONFIGDIR=$scratch/matplotlib /usr/bin/python3 -m colltree.plot depth p.db -o depth.svg
  ) || fail "$1: a plot"
  [ -s "$scratch/map.png" ] && [ -s "$scratch/depth.svg" ] || fail "$1: no plot"
}

tar -xzf "$scratch"/made/colltree-*.tar.gz -C "$scratch/tgz" || fail "tar"
mv "$scratch"/tgz/colltree-* "$scratch/moved"
works_from "$scratch/moved"
plots_from "$scratch/moved/share/colltree/python"

if [ "$generators" != TGZ ]; then
  deb=$(echo "$scratch"/made/colltree_*.deb) python_deb=$(echo "$scratch"/made/python3-colltree_*_all.deb) dev_deb=$(echo "$scratch"/made/libcolltree-dev_*.deb)
  dpkg-deb -x "$deb" "$scratch/deb" && dpkg-deb -x "$dev_deb" "$scratch/deb" || fail "dpkg-deb"
  [ "$(ls "$scratch/deb")" = usr ] || fail "the .deb has more than /usr: $(ls "$scratch/deb")"
  depends=$(dpkg-deb -f "$deb" Depends)
  [[ $depends == *libfmt* && $depends == *libsqlite3* ]] || fail "the .deb depends on '$depends'"
  diff <(cd "$scratch/moved" && find . -type f | sort) <(cd "$scratch/deb/usr" && find . -type f | sort) ||
    fail "the packages differ"
  works_from "$scratch/deb/usr"
  [[ $(dpkg-deb -f "$dev_deb" Depends) == "colltree (= "*libsqlitecpp-dev* ]] || fail "$dev_deb: $(dpkg-deb -f "$dev_deb" Depends)"
  [[ $(dpkg-deb -f "$python_deb" Depends) == "colltree (= "*pandas* ]] || fail "$python_deb: $(dpkg-deb -f "$python_deb" Depends)"
  dpkg-deb -x "$python_deb" "$scratch/deb" || fail "dpkg-deb"
  plots_from "$scratch/deb/usr/lib/python3/dist-packages"
fi

# The wheel, as pip installs it.
if /usr/bin/python3 -c 'import setuptools, pip' 2> /dev/null; then
  cp -r "$source/python" "$scratch/python"
  /usr/bin/python3 -m pip wheel -q --no-deps --no-build-isolation -w "$scratch/wheel" "$scratch/python" || fail "pip wheel"
  /usr/bin/python3 -m pip install -q --no-deps --no-index --target "$scratch/site" "$scratch"/wheel/colltree-*-py3-none-any.whl || fail "pip install"
  plots_from "$scratch/site"
else
  echo "no wheel: python3-pip is missing"
fi
echo ok
