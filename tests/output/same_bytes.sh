#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# same_bytes.sh BUILD SOURCE: the same profiles and options give the same bytes whatever the locale, the time zone, the umask,
# the number of cores, the folder and the addresses are. Other compilers and releases: docs/reliability.md.
set -u
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 SMALL=quadtree
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "FAILED: $*" >&2; exit 1; }
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>"$work/err" || [ -f "$work/de_DE.UTF-8/LC_NUMERIC" ] || die "no locale: $(cat "$work/err")"
(umask 022; LC_ALL=C TZ=UTC "$source/tools/same_bytes.sh" "$build/colltree" "$work/one") || die "the first run"
mkdir "$work/another-folder"
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)
(umask 077; export LOCPATH=$work; export LC_ALL=de_DE.UTF-8 TZ=Asia/Kolkata TMPDIR="$work/another-folder" MALLOC_PERTURB_=165
 taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "${fixed[@]}" "$source/tools/same_bytes.sh" "$build/colltree" "$work/two") || die "the second run"
diff -rq "$work/one" "$work/two" || { diff -r "$work/one" "$work/two" | cut -c1-300 | head -n 20; die "other bytes"; }
echo "ok: $(find "$work/one" -type f | wc -l) results"
