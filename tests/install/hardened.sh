#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# No program or library of the build tree has memory that is writable and executable, or code that is changed when it is
# loaded. With `release` also what that preset promises (SECURITY.md). Usage: hardened.sh BUILD [release]
set -u
build=$1 preset=${2-}
wrong=0
refuse() { echo "FAILED: $1: $2"; wrong=1; }

look() {
  local file=$1 segments dynamic
  segments=$(readelf -lW "$file")
  dynamic=$(readelf -dW "$file")
  grep -qE 'GNU_STACK .* RW ' <<<"$segments" || refuse "$file" "the stack is executable, or nothing says that it is not"
  grep -qE ' (RWE|WE) ' <<<"$segments" && refuse "$file" "a segment is writable and executable"
  grep -q TEXTREL <<<"$dynamic" && refuse "$file" "its code is changed when it is loaded"
  [ "$preset" = release ] || return
  grep -q GNU_RELRO <<<"$segments" || refuse "$file" "no part is made read only (relro)"
  grep -qE 'BIND_NOW|FLAGS.* NOW' <<<"$dynamic" || refuse "$file" "addresses are resolved while it runs"
  readelf -hW "$file" | grep -q 'Type: *DYN' || refuse "$file" "not position independent"
  readelf --dyn-syms -W "$file" | grep -q '__stack_chk_fail' || refuse "$file" "no guarded stack"
}

files=$(find "$build" -maxdepth 1 -type f \( -name 'colltree*' -o -name '*.so' -o -name '*.so.*' \) -exec sh -c 'readelf -h "$1" >/dev/null 2>&1 && echo "$1"' sh {} \;)
files="$files $(find "$build/libs/core" -maxdepth 1 -type f -name '*.so*')"
count=0
for file in $files; do
  look "$file"
  count=$((count + 1))
done
[ $count -ge 2 ] || { echo "FAILED: only $count programs and libraries in $build"; exit 1; }
[ $wrong -eq 0 ] && echo "ok: $count programs and libraries"
exit $wrong
