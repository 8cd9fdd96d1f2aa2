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

# A method of each collective, as COLLTREE_FORCE takes it: the n-th, of a shorter list from the beginning again; ""
# beyond the longest list.
nth_methods() {
  sed -n 's/^COLLTREE_ALGORITHM(\(.*\))/\1/p' "$here/../../src/coll/portable_algorithms.def" | awk -F', *' -v n="$1" '
    function add(method) { list[$1, count[$1]++] = method; if (count[$1] > longest) longest = count[$1] }
    { add($2)
      if ($4 ~ /kSegmentSize/) add($2 "/1K")
      if ($4 ~ /kRadix/) add($2 "@radix=3")
      if ($4 ~ /kRequests/) add($2 "@requests=2") }
    END {
      if (n > longest) exit
      for (c in count) wanted = wanted (wanted == "" ? "" : ",") c "=" list[c, (n - 1) % count[c]]
      print wanted }'
}
