#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Legal programs (legal/main.cpp) on one library, each without rules and under rules:
#
#   legal.sh [-p] [-a] [-c CALLS] [-n "RANKS ..."] [-s "SEED ..."] [-l SECONDS] [-r ROOT] [-o FILE] \
#     LIBRARY TARGET MADE_UP_RULES LEGAL YIELD [CASE...]
#
#   LIBRARY  openmpi, mpich, intel TARGET  the format of its rules, as openmpi-4.1; installed: of the
#            library that the build beside MADE_UP_RULES is for
#   -p       under rules only: every program must be right
#   -a       also programs that both libraries break by themselves now and then: items of types of size 0
#            where another rank has no items; on MPICH 4.0.2 structs with gaps, and reduce_scatter(_block) with an
#            operation that is not commutative on types with gaps (its own `noncommutative`), which Intel MPI breaks too
#   -r ROOT  LEGAL and YIELD are paths in this folder and run by chroot
#   -o FILE  every program that is not right, one a line: LIBRARY RULES RANKS SEED CASE VERDICT
#
# Each seed makes other calls and other rules. Passes when no program breaks under rules that is right
# without; those that the library breaks by itself are listed. A case that ends a job is noted, and the
# next job goes on behind it.
set -u
calls=5 ranks="2 3 4 5" seeds=1 limit=240 root="" report=/dev/null plain=1 all=0
while getopts pac:n:s:l:r:o: option; do
  case $option in
    p) plain=0 ;; a) all=1 ;;
    c) calls=$OPTARG ;; n) ranks=$OPTARG ;; s) seeds=$OPTARG ;;
    l) limit=$OPTARG ;; r) root=$OPTARG ;; o) report=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
library=$1 target=$2 made_up_rules=$3 legal=$4 yield=$5
shift 5
export PATH=$PATH:$(dirname "$0")/../../build/live/bin
if [ "$library" = intel ] && [ -z "${COLLTREE_PROVE_ALL-}" ]; then
  echo "skipped: Intel MPI, of .ci/full (COLLTREE_PROVE_ALL=1)"
  exit 77
fi
source "$(dirname "$0")/../rule_target.sh"
[ "$target" != installed ] || target=$(rule_target "$(dirname "$made_up_rules")/.." "$library") || exit 1
version=$("$(dirname "$made_up_rules")/../colltree-measure-$library" --library | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p')
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d "$root/tmp/legal.XXXXXX") && trap 'rm -rf "$folder"' EXIT
inside=${folder#"$root"}
left_out='/empty_types$' && [ "$library" = mpich ] && left_out='/(empty_types|structs)$|^reduce_scatter(_block)?/(gapped_operation|everything)$'
[ "$library" = intel ] && left_out='/empty_types$|^reduce_scatter(_block)?/(gapped_operation|everything)$|^mixed/'
[ $all -eq 1 ] && left_out='^$'
# The mounts end with the command.
# shellcheck disable=SC2016
into=() && [ -n "$root" ] && into=(unshare --mount --propagation private -- bash -ec 'mount --rbind /dev "$1/dev"
  mount --rbind /sys "$1/sys"; mount -t proc proc "$1/proc"; exec chroot "$@"' into "$root")

job() { # RULES RANKS ARGUMENTS...
  local rules=$1 count=$2 settings=()
  shift 2
  rm -f "$folder/counters"
  if [ "$library" = openmpi ]; then
    [ "$rules" = - ] || settings=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$rules")
    "${into[@]}" timeout -k 5 900 mpirun.openmpi --oversubscribe --mca btl "${OMPI_BTL:-vader},self" -n "$count" "${settings[@]}" \
      "$legal" --counters "$inside/counters" "$@" 2>/dev/null
  else
    local launcher=(mpirun.mpich -launcher fork -genv LD_PRELOAD "$yield")
    local load=(MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="$rules")
    [ "$library" = mpich ] || launcher=(mpirun.intel) load=(I_MPI_TUNING="$rules")
    [ "$rules" = - ] || settings=("${load[@]}")
    env "${settings[@]}" "${into[@]}" timeout -k 5 900 "${launcher[@]}" -n "$count" \
      "$legal" --counters "$inside/counters" "$@" 2>/dev/null
  fi
}

# One line for each case: its name and right, wrong, hangs or fails.
verdicts() { # RULES RANKS SEED CASES...
  local rules=$1 count=$2 seed=$3 after="" output last
  shift 3
  while :; do
    output=$(job "$rules" "$count" --calls "$calls" --seed "$seed" --limit "$limit" ${after:+--after "$after"} "$@")
    grep -aE '^[a-z_]+/[a-z_]+ (right|wrong)' <<<"$output" | cut -d' ' -f1,2
    [ "$(tail -n 1 <<<"$output")" = done ] && return
    last=$(grep -aoE '^begin [a-z_/]+' <<<"$output" | tail -n 1 | cut -d' ' -f2)
    [ -n "$last" ] || { echo "job/start fails" && return; }
    if ! grep -aqE "^$last (right|wrong)" <<<"$output"; then
      grep -aqx hangs <<<"$output" && echo "$last hangs" || echo "$last fails"
    fi
    after=$last
  done
}

if [ $# -eq 0 ]; then
  mapfile -t cases < <("${into[@]}" "$legal" --list | grep -vE "$left_out")
  set -- "${cases[@]}"
fi
broken=0
for seed in $seeds; do
  "$made_up_rules" "$target" "$seed" >"$folder/rules" 2>/dev/null || exit 1
  for count in $ranks; do
    printf '%s right\n' "$@" | sort >"$folder/plain"
    [ $plain -eq 1 ] && verdicts - "$count" "$seed" "$@" | sort >"$folder/plain"
    verdicts "$inside/rules" "$count" "$seed" "$@" | sort >"$folder/ruled"
    for kind in plain ruled; do
      grep -v ' right$' "$folder/$kind" | sed "s/^/$target $kind $count $seed /" >>"$report"
    done
    text="$target, $count ranks, seed $seed, right of $# programs:"
    [ $plain -eq 1 ] && text+=" $(grep -c ' right$' "$folder/plain") without rules,"
    echo "$text $(grep -c ' right$' "$folder/ruled") under rules"
    join "$folder/plain" "$folder/ruled" | awk '$2 != "right" && $3 != "right" { both = both " " $1 } $2 != "right" && $3 == "right" { cured = cured " " $1 }
      END { if (both != "") print "  broken by the library itself:" both; if (cured != "") print "  the same, but not under these rules:" cured }'
    new=$(join "$folder/plain" "$folder/ruled" | awk '$2 == "right" && $3 != "right" { print $1 " " $3 }')
    grep -q ' right$' "$folder/ruled" || new="no job starts"
    [ -z "$new" ] && continue
    echo "FAILED under rules only: $new"
    cp "$folder/rules" "/tmp/rules.$target.$seed" && echo "the rules are kept in /tmp/rules.$target.$seed"
    broken=1
  done
done
[ $broken -eq 0 ] && echo "proof $target programs: $library-$version: $# on $ranks ranks" && echo ok
exit $broken
