# SPDX-License-Identifier: BSD-3-Clause
# The methods of a profile of 4 and 3000 bytes, at more sizes, with times that depend on nothing but their names:
# another one wins from point to point.
BEGIN { sizes[0] = "0"; sizes[4] = "4 64 720"; sizes[3000] = "3000 9001 70000" }
NR == 1 { print }
NR > 1 && $10 == 0 {
  count = split(sizes[$7], size, " ")
  for (i = 1; i <= count; ++i) {
    $1 = "many"
    $7 = size[i]
    $11 = 10 + hash($3 $4 $7 $8 $9) / 100
    print
  }
}
function hash(text, at, value) {
  for (at = 1; at <= length(text); ++at)
    value = (value * 31 + index("0123456789abcdefghijklmnopqrstuvwxyz_@=", substr(text, at, 1))) % 9973
  return value
}
