#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the mirror of Debian's packages that this machine's own apt sources name (sources.list or deb822), which may be
# the only one that it reaches: by the label of the archive where apt has its lists, else by the path.
targets=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null)
mirror=$(sed -n 's|^Debian \(.*[^/]\)/*$|\1|p' <<<"$targets" | head -n 1)
[ -n "$mirror" ] || mirror=$(grep -iom 1 '[a-z]*:[^ ]*/debian/*$' <<<"$targets" | sed 's|/*$||')
[ -n "$mirror" ] || { echo "debian_mirror.sh: the sources of apt on this machine name no mirror of Debian" >&2; exit 1; }
echo "$mirror"
