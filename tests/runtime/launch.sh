# SPDX-License-Identifier: BSD-3-Clause
# How the tests of this folder start jobs. Needs: flavour, build (its folder), here.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
unset COLLTREE_MODEL COLLTREE_FORCE COLLTREE_RECORD COLLTREE_CHECK
library=$build/libcolltree-$flavour.so
yield=$build/tests/algorithms/libcolltree_yield_preload.so
patience=900  # seconds; with others on the machine oversubscribed ranks wait for a turn at every message

launch() { # PRELOAD RANKS PROGRAM...
  local preload=$1 ranks=$2
  shift 2
  if [ "$flavour" = openmpi ]; then
    timeout -k 5 "$patience" mpirun.openmpi --oversubscribe --mca btl "${btl:-vader,self}" -n "$ranks" \
      ${preload:+-x LD_PRELOAD="$preload"} "$@" </dev/null
  else
    timeout -k 5 "$patience" mpirun.mpich -launcher fork -genv LD_PRELOAD "$yield${preload:+:$preload}" -n "$ranks" "$@" </dev/null
  fi
}

# The methods of all collectives, as COLLTREE_FORCE takes them, a line each; " nodes" follows those that need several nodes, " shared" those that share memory.
every_method() {
  sed -n 's/^COLLTREE_ALGORITHM(\(.*\))/\1/p' "$here/../../libs/core/coll/portable_algorithms.def" | awk -F', *' '
    { method = $1 "=" $2; nodes = /kHierarchy/ ? " nodes" : /kOneNode/ ? " shared" : ""
      print method nodes
      if ($4 ~ /kSegmentSize/) print method "/1K" nodes
      if ($4 ~ /kRadix/) print method "@radix=3" nodes
      if ($4 ~ /kRequests/) print method "@requests=2" nodes }'
}

# A method of each collective: the n-th, of a shorter list from the beginning again; "" beyond the longest list.
nth_methods() {
  every_method | awk -v n="$1" '
    { c = substr($1, 1, index($1, "=") - 1); list[c, count[c]++] = $1; if (count[c] > longest) longest = count[c] }
    END {
      if (n > longest) exit
      for (c in count) wanted = wanted (wanted == "" ? "" : ",") list[c, (n - 1) % count[c]]
      print wanted }'
}
