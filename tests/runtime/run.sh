#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh CASE FLAVOUR BUILD: one case of the runtime library (docs/results/programs.md) under one MPI library. Ends with "ok".
# COLLTREE_TEST_SHARE above 100: at several communicator sizes, longer, and what takes minutes or much memory (cases large, million).
set -u
case=$1 flavour=$2 build=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
source "$here/launch.sh"
colltree=$build/colltree programs=$build/tests/runtime_programs
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
[ "${COLLTREE_TEST_SHARE:-10}" -gt 100 ] && full=1 || full=""
fail() { echo "FAILED: $*"; exit 1; }

# plain RANKS PROGRAM...; ours likewise, with the library before it. Variables of ours: in the environment.
plain() { launch "" "$@"; }
ours() { launch "$library" "$@"; }
right() { # WHAT RANKS PROGRAM...: under the library it ends with "ok"
  local what=$1 output
  shift
  output=$(ours "$@" 2>&1)
  [[ "$(tail -n 1 <<<"$output")" == ok* ]] || { echo "$output" | tail -n 20; fail "$what: $*"; }
}

case_methods() {
  local n=1 methods
  while methods=$(nth_methods $n) && [ -n "$methods" ]; do
    for ranks in 3 ${full:+2 4 5}; do
      COLLTREE_FORCE=$methods right "$methods" "$ranks" "$programs/random_calls_$flavour" $((n * 10 + ranks)) 150
    done
    # Where there may be threads, Open MPI's messages of all communicators go over one.
    [ "$flavour" != openmpi ] ||
      COLLTREE_FORCE=$methods right "threads, $methods" 4 "$programs/random_calls_$flavour" $n 100 threads
    n=$((n + ${full:-5}))
  done
  [ $n -gt 5 ] || fail "only $n methods were tried"
  # It must have run what was asked for.
  COLLTREE_FORCE=bcast=binomial/1K COLLTREE_RECORD=$folder/r.csv right record 3 "$programs/random_calls_$flavour" 1 50
  grep -q '^bcast,.*,binomial,1024,forced,' r.csv || fail "no forced bcast in the record"
}

# What knows the nodes, on two that a preload makes of this one; it must have run and be right. Without memory on one node no node has it.
case_nodes() {
  local rows group methods seed=0 ranks threads how preload=$programs/libfake_nodes_$flavour.so:$library
  rows=$(sed -n 's/^COLLTREE_ALGORITHM(\([a-z_]*\), \([a-z_]*\),.*kHierarchy.*/\1=\2/p' "$here/../../libs/core/coll/portable_algorithms.def")
  for group in hierarchical 'multi_leader|locality' hierarchical_shared multi_leader_shared; do
    methods=$(grep -E "=($group)$" <<<"$rows" | paste -sd,)
    while read -r ranks threads; do
      seed=$((seed + 1))
      COLLTREE_FORCE=$methods COLLTREE_RECORD=$folder/r.csv launch "$preload" "$ranks" "$programs/random_calls_$flavour" $seed 200 $threads >out 2>&1
      [[ "$(tail -n 1 out)" == ok* ]] || { tail -n 20 out; fail "$methods $ranks $threads"; }
      cat r.csv >>"$group.csv"
    done < <(printf '4\n4 threads\n'; [[ $group != *shared ]] || printf '3\n5\n'"${full:+6\n7 threads\n8\n}")
    for row in ${methods//,/ }; do
      grep -q "^${row%=*},.*,${row#*=},0,forced," "$group.csv" || fail "$row did not run"
    done
  done
  for how in made taken; do
    NO_MEMORY=$how COLLTREE_FORCE=$methods,barrier=hierarchical_shared COLLTREE_RECORD=$folder/r.csv \
      launch "$programs/libno_memory_$flavour.so:$preload" 4 "$programs/random_calls_$flavour" $seed 100 >out 2>&1
    [[ "$(tail -n 1 out)" == ok* ]] && ! grep _shared,0,forced r.csv && grep -q '^barrier,4,.*,hierarchical_shared,.*,fallback,' r.csv &&
      grep -q '^bcast,4,.*,multi_leader_shared,.*,fallback,' r.csv || { tail -n 20 out; cat r.csv; fail "$how"; }
  done
}

# What shares memory: it must have run, be right, leave nothing behind, and go by messages where there is none.
case_shared() {
  local methods n=0 calls=${full:+2000}
  methods=$(every_method | sed -n 's/ shared$//p' | paste -sd,)
  [ "$(tr , "\n" <<<"$methods" | wc -l)" = 21 ] || fail "rows: $methods"
  for segment in "" /1K; do
    methods=barrier=shared_memory,bcast=shared_memory$segment,reduce=shared_memory$segment,allreduce=shared_memory$segment
    for ranks in 2 3 ${full:+1 4 5 8}; do
      n=$((n + 1))
      COLLTREE_FORCE=$methods COLLTREE_RECORD=$folder/r.csv \
        right "$methods $ranks" $ranks "$programs/random_calls_$flavour" $n "${calls:-300}"
      [ $ranks = 1 ] || for row in barrier bcast reduce allreduce; do
        grep -q "^$row,.*,shared_memory,.*,forced," r.csv || fail "$row did not run"
      done
      COLLTREE_FORCE=$methods right "threads, $methods $ranks" $ranks "$programs/random_calls_$flavour" $n 100 threads
    done
  done
  # Along a tree, also over two domains, and copied out of another process, which may fail at once or later.
  local how row why line forced
  for how in none domains direct pulled later; do
    n=$((n + 1)) row=shared_memory_direct why=forced
    case $how in none) row=shared_memory_tree ;; domains) row=shared_memory_tree@radix=2 ;; pulled) why=fallback ;; esac
    forced=barrier=shared_memory_tree,bcast=$row,reduce=shared_memory_tree@radix=2,allreduce=shared_memory_tree@radix=3
    [ $row != shared_memory_direct ] || forced=barrier=shared_memory_tree,bcast=$row,reduce=$row,allreduce=$row
    NO_MEMORY=$how COLLTREE_FORCE=$forced COLLTREE_RECORD=$folder/r.csv \
      launch "$programs/libno_memory_$flavour.so:$library" 5 "$programs/random_calls_$flavour" $n "${calls:-400}" four >out 2>&1
    [[ "$(tail -n 1 out)" == ok* ]] || { tail -n 20 out; fail "$how: $forced"; }
    for line in ${forced//,/ }; do
      line="${line%%=*},.*,${line#*=},.*,$([ "${line%%=*}" = barrier ] && echo forced || echo $why)"
      grep -q "^$line," r.csv || { cat r.csv; fail "$how: no $line"; }
    done
    [ $how != pulled ] || ! grep -qE "^(bcast|reduce|allreduce),5,.*,$row,.*,forced," r.csv || fail "pulled: $row ran"
  done
  for program in plain threads intercommunicator errors "communicators 200" unreceived forks; do
    # shellcheck disable=SC2086
    COLLTREE_FORCE=$methods right "$program" 3 "$programs/programs_$flavour" $program
  done
  COLLTREE_FORCE=$methods right truncation 3 "$programs/programs_$flavour" truncation
  COLLTREE_FORCE=bcast=shared_memory_tree right "truncation along a tree" 5 "$programs/programs_$flavour" truncation
  COLLTREE_FORCE=$methods right "clients" 3 "$programs/clients_$flavour" \
    dying 24 bottom 1 bottom 3000 many $((full ? 1500 : 40)) invalid alias
  for how in killed abort; do
    COLLTREE_FORCE=$methods launch "$library" 3 "$programs/programs_$flavour" $how >out 2>&1 && fail "$how ended well"
  done
  for how in made taken; do
    NO_MEMORY=$how COLLTREE_FORCE=$methods COLLTREE_RECORD=$folder/r.csv \
      launch "$programs/libno_memory_$flavour.so:$library" 3 "$programs/programs_$flavour" plain >out 2>&1
    grep -qx ok out && grep -q '^barrier,.*,shared_memory,.*,fallback,' r.csv || { cat out r.csv; fail "$how"; }
  done
  # Other jobs of this machine have files of theirs there.
  ! ls /dev/shm | grep colltree || fail "something is left in /dev/shm"
}

# A rank loads a device runtime late and then has buffers on a device that is none: the library's, whatever the other ranks have.
check_devices() {
  local runtime n=1 methods calls
  for runtime in libcuda.so.1 libamdhip64.so.6 libze_loader.so.1; do
    calls=$([ $runtime = libcuda.so.1 ] && echo 400 || echo 200)
    cp "$programs/libdevice_stand_in_$flavour.so" $runtime
    while methods=$(nth_methods $n) && [ -n "$methods" ]; do
      DEVICE_RUNTIME=$folder/$runtime COLLTREE_FORCE=$methods COLLTREE_RECORD=$folder/r.csv \
        launch "$library:$programs/libdevice_stand_in_$flavour.so" 3 "$programs/random_calls_$flavour" $n "$calls" >out 2>&1
      [[ "$(tail -n 1 out)" == ok* ]] || { tail -n 20 out; fail "$runtime, $methods"; }
      grep -q ',default,,device_memory,' r.csv || fail "$runtime: no call was left to the library"
      grep -q ',forced,' r.csv || fail "$runtime: every call was left to the library"
      n=$((n + ${full:-9}))
      [ $runtime = libcuda.so.1 ] || break
    done
    n=2
  done
}

# sums MODEL RANKS [PRELOAD]: what they say.
sums() {
  COLLTREE_MODEL=$1 launch "${3:+$3:}$library" "$2" "$programs/sums_$flavour" 7 "${full:+10}40" 2>err | tail -n 1
}

# A reproducible model: the same bits for a message whole and cut, on one node and on two, where other methods would give
# others.
case_sums() {
  local measure=(--platform grig --collective allreduce,reduce,reduce_scatter_block,scan,exscan
    --communicator-sizes 2..6 --message-sizes 8,512,8K,64K --segment-sizes 0 --parameters radix=4) said
  "$colltree" tune "${measure[@]}" --reproducible --details -o same >out 2>&1 || { cat out; fail "tune --reproducible"; }
  [ "$(grep -c '^  sums of .* in one order (' out)" = 5 ] || { cat out; fail "not five orders"; }
  "$colltree" tune "${measure[@]}" -o any >out 2>&1 || { cat out; fail "tune"; }
  for ranks in 3 4 ${full:+2 5 6}; do
    said=$(sums same/tuned.cdt "$ranks")
    [[ "$said" == ok* ]] || { cat err; fail "$ranks ranks: $said"; }
    local nodes
    nodes=$(sums same/tuned.cdt "$ranks" "$programs/libfake_nodes_$flavour.so")
    [ "$nodes" = "$said" ] || { cat err; fail "$ranks ranks on two nodes: $nodes, not $said"; }
    echo "$ranks ranks: $said"
  done
  said=$(sums any/tuned.cdt 4)
  [[ "$said" == different* ]] || fail "methods of several orders: $said"
}

# alltoallv_model NAME "RANKS BYTES LINEAR RING"...: NAME.cdt of an alltoallv that took these times.
alltoallv_model() {
  local name=$1 ranks bytes linear ring row
  shift
  { echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
    printf '%s\n' "$@" | while read -r ranks bytes linear ring; do
      for row in "linear,0,0,$linear" "ring,0,0,$ring" default,,0,109; do echo "s,,alltoallv,$ranks,1,$ranks,$bytes,$row"; done
    done; } >"$name.csv"
  "$colltree" import "$name.csv" -o "$name.db" >out && "$colltree" fit quadtree "$name.db" --collective alltoallv -o "$name.json" >>out &&
    "$colltree" emit cdt "$name.json" -o "$name.cdt" >>out || { cat out; fail "model $name"; }
}

# What each rank sends in alltoallv only that rank knows. So a model decides by the communicator, or leaves the call to the library.
check_alltoallv() {
  alltoallv_model sizes "2 1 10 99" "2 65536 99 10" "3 1 10 99" "3 65536 99 10"
  alltoallv_model ranks "2 1 10 99" "2 65536 10 99" "3 1 99 10" "3 65536 99 10"
  for model in sizes ranks; do
    COLLTREE_MODEL=$model.cdt COLLTREE_CHECK=1 COLLTREE_RECORD=$folder/$model.r.csv right "alltoallv by $model" 4 "$programs/random_calls_$flavour" 3 300
    awk -F, -v model=$model '$1 == "alltoallv" && $2 > 1 { wanted = model == "sizes" ? "default" : $2 == 2 ? "linear" : "ring"
        n[$2]++; if ($6 != wanted) { print; wrong = 1 } } END { exit wrong || !n[2] || !n[4] }' $model.r.csv || fail "alltoallv by $model"
  done
}

case_models() {
  check_alltoallv
  for seed in 1 ${full:+2 3 4 5}; do
    "$programs/random_model" "$seed" model.cdt || fail "random_model $seed"
    for ranks in 4 ${full:+1 2 5}; do
      COLLTREE_MODEL=model.cdt COLLTREE_CHECK=1 COLLTREE_RECORD=$folder/r.csv \
        right "model $seed" "$ranks" "$programs/random_calls_$flavour" "$seed" 400
    done
    grep -q ',model,' r.csv || fail "model $seed decided nothing"
    grep -q ',default,,default,' r.csv || fail "model $seed: no call left to the library, without a segment size"
    COLLTREE_MODEL=model.cdt COLLTREE_CHECK=1 \
      right "threads, model $seed" 4 "$programs/random_calls_$flavour" "$seed" 200 threads
  done
}

# 10^6 calls on communicators that come and go; ranks agree on each; memory and communicators stay as many.
case_million() {
  local ranks calls seed=10
  patience=14400
  while read -r ranks calls; do
    seed=$((seed + 1))
    "$programs/random_model" $seed model.cdt || fail "random_model $seed"
    COLLTREE_MODEL=model.cdt COLLTREE_CHECK=1 COLLTREE_RECORD=$folder/r.csv \
      ours "$ranks" "$programs/random_calls_$flavour" $seed "$calls" >out 2>err || { tail out err; fail "$ranks ranks"; }
    cat out
    grep '^colltree' err && fail "said on standard error"
    awk -F, -v calls="$calls" '/^[a-z]+.*,[0-9]/ { n += $11; if ($8 == "model") ours += $11 }
      END { printf "%d calls of ranks recorded, %d by methods of ours\n", n, ours }' r.csv
  done <<<"2 500000
3 300000
4 200000"
}

# The n-th row in shared memory of each collective that has any, from the beginning again behind the last.
rows_in_memory() {
  every_method | awk -v n="$1" '/ shared$/ { c = substr($1, 1, index($1, "=") - 1); list[c, count[c]++] = $1 }
    END { for (c in count) { printf "%s%s", separator, list[c, (n - 1) % count[c]]; separator = "," } }'
}

# 10^6 calls of the collectives that share memory: by each list of their rows in turn.
case_shared_million() {
  local ranks calls n=0
  patience=14400
  while read -r ranks calls; do
    for threads in "" threads; do
      n=$((n + 1))
      COLLTREE_FORCE=$(rows_in_memory $n) right "rows in memory" "$ranks" "$programs/random_calls_$flavour" $n "$calls" four $threads
    done
  done <<<"2 $((${COLLTREE_TEST_CALLS:-1000000} / 5))
3 $((${COLLTREE_TEST_CALLS:-1000000} / 6))
4 $((${COLLTREE_TEST_CALLS:-1000000} / 12))
5 $((${COLLTREE_TEST_CALLS:-1000000} / 20))"
}

# The processes that a process has started, and theirs.
family() {
  local child
  for child in $(pgrep -P "$1"); do echo "$child"; family "$child"; done
}
members() { # JOB PATTERN: those that run this program
  local process
  for process in $(family "$1"); do [[ "$(readlink "/proc/$process/exe")" != $2 ]] || echo "$process"; done
}
await() { # SECONDS COMMAND...: until it is true
  local ends=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $ends ] || return 1
    sleep 0.02
  done
}
has_ranks() { [ "$(members "$1" '*/random_calls_*' | wc -l)" -ge "$2" ]; }
has_memory() { cat "/proc/$1/maps" 2>/dev/null | grep -q memfd:colltree; }
is_gone() { ! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]; }

# killed PRELOAD RANKS SEED WHOM: a job in which at a random moment a rank is stopped for a while, then a rank or the
# launcher is killed. The others must end, as they do without the library.
killed() {
  local preload=$1 ranks=$2 seed=$3 whom=$4 job all process
  launch "$preload" "$ranks" "$programs/random_calls_$flavour" "$seed" 1000000000 four >out 2>err &
  job=$!
  await 300 has_ranks $job "$ranks" || { cat out err; fail "the job does not start"; }
  mapfile -t all < <(members $job '*/random_calls_*')
  # Half of them when memory is there; the others perhaps in MPI_Init or while they agree.
  [ -z "$preload" ] || [ $((seed % 2)) = 0 ] || await 300 has_memory "${all[-1]}" || fail "no shared memory"
  sleep "$(printf '0.%03d' $((RANDOM % 400)))"
  process=${all[RANDOM % ranks]}
  kill -STOP "$process" && sleep "$(printf '0.%03d' $((RANDOM % 200)))" && kill -CONT "$process"
  process=${all[RANDOM % ranks]}
  [ "$whom" = rank ] || process=$(pgrep -P "$(members $job '*/timeout')")
  mapfile -t all < <(family $job)
  kill -KILL "$process"
  for process in $job "${all[@]}"; do await 120 is_gone "$process" || { ps -fp "$process"; fail "$whom was killed, and $process lives"; }; done
  wait $job && fail "ended well though $whom was killed"
  return 0
}

# Ends of jobs that share memory, at random moments.
case_kills() {
  local n rounds
  COLLTREE_FORCE=$(rows_in_memory 1) && export COLLTREE_FORCE
  RANDOM=${COLLTREE_TEST_SEED:-1}
  for ((n = 0; n < ${COLLTREE_TEST_KILLS:-$((full ? 100 : 6))}; ++n)); do
    killed "$library" $((2 + n % 4)) $n "$([ $((n % 5)) = 4 ] && echo launcher || echo rank)"
    rounds=$((RANDOM % 100))
    launch "$library" $((2 + n % 4)) "$programs/programs_$flavour" abort $rounds >out 2>&1 && fail "abort $rounds ended well"
  done
  ! ls /dev/shm | grep colltree || fail "something is left in /dev/shm"
}

# The legal programs of tests/hazards, but those that the libraries break by themselves.
case_legal() {
  local legal=$programs/../legal_$flavour left_out='/empty_types$' n=1 methods cases
  [ "$flavour" = openmpi ] || left_out='/(empty_types|structs)$'
  mapfile -t cases < <("$legal" --list | grep -vE "$left_out" | { [ -n "$full" ] && cat || grep /everything; })
  while methods=$(nth_methods $n) && [ -n "$methods" ]; do
    for ranks in 3 ${full:+2 5}; do
      COLLTREE_FORCE=$methods ours "$ranks" "$legal" --calls $((full ? 10 : 3)) --seed $n --limit 120 "${cases[@]}" >out 2>err
      [ "$(tail -n 1 out)" = done ] && ! grep -a ' wrong ' out || { tail -n 5 out; fail "$methods, $ranks ranks"; }
    done
    n=$((n + ${full:-4}))
  done
}

# Nothing but what it stands in front of, and no library that a program may not have or have in another age.
check_library() {
  nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | grep -vE '^(MPIX?|mpix?)_' && fail "exports"
  readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >needed
  grep -vE '^(libmpi.*|libmpich.*|libc|libm|libdl|libpthread|ld-linux[a-z0-9_-]*)\.so(\.[0-9]+)*$' needed && fail "needs"
  grep -q libmpi needed || fail "needs no MPI library"
}

case_programs() {
  check_library
  check_devices
  local communicators=${full:+2500}
  for n in 1 ${full:+2 3}; do
    methods=$(nth_methods "$n")
    for program in plain threads intercommunicator errors "communicators ${communicators:-100}"; do
      # shellcheck disable=SC2086
      [ -z "$full" ] || plain 3 "$programs/programs_$flavour" $program 2>&1 | grep -qx ok || fail "plain $program"
      # shellcheck disable=SC2086
      COLLTREE_FORCE=$methods right "$methods" 3 "$programs/programs_$flavour" $program
    done
    COLLTREE_FORCE=$methods right "$methods" 1 "$programs/programs_$flavour" plain
  done
  # What real programs do. A method that packs, one that sends as it is, and segments.
  for n in 1 ${full:+2 3 4 5}; do
    COLLTREE_FORCE=$(nth_methods "$n") right "clients $n" 3 "$programs/clients_$flavour" \
      dying 24 bottom 1 bottom 3000 many $((full ? 1500 : 40)) invalid alias
  done
  [ "$flavour" = openmpi ] || COLLTREE_FORCE=allreduce=recursive_doubling right many 2 "$programs/clients_$flavour" many 1100
  # A record holds what the callbacks of MPI_Finalize call.
  COLLTREE_RECORD=$folder/r.csv COLLTREE_FORCE=allreduce=recursive_doubling right finalize 3 "$programs/clients_$flavour" finalize
  grep -q '^# state complete' r.csv && awk -F, '/^allreduce,3,/ { n += $9 } /^barrier,3,/ { b += $9 } END { exit n != 2 || b != 1 }' r.csv ||
    { cat r.csv; fail "what MPI_Finalize called is not in the record"; }
  for method in binomial pipeline/1K split_binary; do
    COLLTREE_FORCE=bcast=$method right "truncation $method" 3 "$programs/programs_$flavour" truncation
  done
  for method in scatter_allgather scatter_allgather_ring; do
    COLLTREE_FORCE=bcast=$method right "truncation $method" 3 "$programs/programs_$flavour" truncation root-receives
  done
  # MPICH of Debian 12 cannot spawn here, with or without us.
  # Jobs that meet speak TCP, and Open MPI 5 finds no way to itself on every machine unless the loopback is named.
  [ "$flavour" != openmpi ] || OMPI_MCA_btl_tcp_if_include=lo btl=tcp,vader,self COLLTREE_FORCE=$methods \
    right spawn 2 "$programs/programs_$flavour" spawn
}

# Under valgrind: memory that is read or written beside a block, used before it is set or never freed, with a function of
# ours on the stack.
case_memory() {
  command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
  local memcheck="valgrind -q --leak-check=full --show-leak-kinds=definite --num-callers=40 --log-file=$folder/found.%p"
  local theirs=/usr/share/openmpi/openmpi-valgrind.supp
  memcheck+=" --suppressions=$here/valgrind.supp"
  [ ! -e $theirs ] || memcheck+=" --suppressions=$theirs"
  for seed in 1 ${full:+2 3 4 5 6}; do
    "$programs/random_model" "$seed" model.cdt || fail "random_model $seed"
    for ranks in 2 ${full:+1 3}; do
      rm -f found.*
      # shellcheck disable=SC2086
      COLLTREE_MODEL=model.cdt COLLTREE_RECORD=$folder/r.csv \
        right "model $seed" "$ranks" $memcheck "$programs/random_calls_$flavour" "$seed" $((full ? 500 : 100))
      [ "$(ls found.* | wc -l)" = "$ranks" ] || fail "valgrind ran on other than $ranks ranks"
      sed -E 's/^==[0-9]+== ?//' found.* | awk -v RS= '/colltree::|libcolltree-/ { print; print ""; n++ } END { exit n > 0 }' ||
        fail "model $seed, $ranks ranks"
    done
  done
  grep -q ',model,' r.csv || fail "the model decided nothing"
}

# What the library does in a call that a model leaves to MPI, while it decides larger messages and communicators: instructions.
case_left() {
  command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
  local calls=100 row file time
  { echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
    for row in bcast:shared_memory allreduce:ring alltoall:linear barrier:dissemination; do
      for ranks in 2 4; do
        for bytes in $([ ${row%:*} = barrier ] && echo 0 || echo 4 8 64 512 4096 65536); do
          time=20; [ $bytes -gt 64 ] || [ ${row%:*}$ranks = barrier4 ] || time=5
          echo "s,,${row%:*},$ranks,1,$ranks,$bytes,default,,0,$time"; echo "s,,${row%:*},$ranks,1,$ranks,$bytes,${row#*:},0,0,10"
        done
      done
    done; } >times.csv
  "$colltree" import times.csv -o times.db >out && "$colltree" fit quadtree times.db --collective bcast,allreduce,alltoall,barrier -o left.json >>out &&
    "$colltree" emit cdt left.json -o left.cdt >>out || { cat out; fail model; }
  COLLTREE_MODEL=left.cdt COLLTREE_RECORD=$folder/r.csv ours 2 "$programs/left_calls_$flavour" 1 || fail left_calls
  [ "$(grep -c '^[a-z]*,2,1,2,[048],default,,default,1,' r.csv)" = 4 ] || { cat r.csv; fail "not left to the library"; }
  # What is remembered of a call holds for no other one.
  cp "$programs/libno_memory_$flavour.so" libcuda.so.1
  COLLTREE_MODEL=left.cdt COLLTREE_FORCE=reduce=shared_memory right "known calls" 4 "$programs/known_calls_$flavour" "$folder/libcuda.so.1"
  COLLTREE_MODEL=left.cdt ours 2 valgrind -q --tool=callgrind --callgrind-out-file="$folder/calls.%p" --toggle-collect=MPI_Bcast \
    --toggle-collect=MPI_Allreduce --toggle-collect=MPI_Alltoall --toggle-collect=MPI_Barrier "$programs/left_calls_$flavour" $calls 2>err ||
    { cat err; fail callgrind; }
  for file in calls.*; do
    row=$(callgrind_annotate --threshold=100 --auto=no "$file" 2>/dev/null | awk '/libcolltree-/ { gsub(",", "", $1); n += $1 } END { print n + 0 }')
    echo "$((row / calls / 4)) instructions a call"
    [ "$row" -gt 0 ] && [ $((row / calls / 4)) -le 100 ] || fail "too many"
  done
}

case_large() {
  local free_kb
  free_kb=$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)
  [ "$free_kb" -gt 7000000 ] || { echo "ok, left out: only $free_kb KB of memory"; exit 0; }
  for method in binomial pipeline/128K; do
    COLLTREE_FORCE=bcast=$method right $method 2 "$programs/programs_$flavour" large
  done
}

case_fortran() {
  for interface in 1 2 3; do
    program=$programs/fortran_${interface}_$flavour
    plain 3 "$program" 2>&1 | grep -q ok || fail "plain $program"
    for n in 1 ${full:+2 3}; do
      rm -f r.csv
      COLLTREE_FORCE=$(nth_methods "$n") COLLTREE_RECORD=$folder/r.csv right fortran 3 "$program"
      # Each call once: one of each collective, and one more of those that are also tried in place.
      awk -F, '/^[a-z]+.*,[0-9]/ { calls[$1] += $9; ranks[$1] += $11 }
        END { for (c in calls) print c, calls[c], ranks[c] }' r.csv | LC_ALL=C sort >counted
      for c in allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather gatherv iallreduce \
        reduce reduce_scatter reduce_scatter_block scan scatter; do
        calls=1
        case $c in reduce | alltoall | allreduce) calls=2 ;; iallreduce) calls=8 ;; esac
        echo $c $calls $((3 * calls))
      done | LC_ALL=C sort | diff - counted || fail "interface $interface: calls counted"
      # From the program, not from the MPI library's Fortran functions.
      awk -F, -v program="$program+0x" '/^[a-z]+.*,[0-9]/ && index($15, program) != 1 { print; wrong = 1 } END { exit wrong }' r.csv ||
        fail "interface $interface: call sites"
      awk -F, '$1 == "iallreduce" { n++; if (!($20 > 0)) wrong = 1 } END { exit wrong || n != 8 }' r.csv || { cat r.csv; fail "interface $interface: waits"; }
    done
  done
}

# Functions with large counts for each rank, which are int in fact, are decided as those with int counts.
check_large_counts() {
  local forced n row
  plain 1 "$programs/large_counts_$flavour" 1 >/dev/null 2>&1
  [ $? != 77 ] || return 0
  for n in 1 2 3 4; do
    forced=$(nth_methods $n)
    COLLTREE_FORCE=$forced COLLTREE_RECORD=$folder/l.csv right "large counts, $forced" 3 "$programs/large_counts_$flavour" 6
    for row in allgatherv:7 alltoallv:6 reduce_scatter:6; do
      awk -F, -v c="${row%:*}" -v calls="${row#*:}" '$1 == c && $8 ~ /forced|fallback/ { n += $9 } $1 == c "_c" { wrong = 1 } END { exit wrong || n != calls }' l.csv ||
        { cat l.csv; fail "${row%:*}_c under $forced"; }
    done
  done
  # What the library decides is passed on as it is.
  COLLTREE_FORCE=alltoallv=default COLLTREE_RECORD=$folder/l.csv right "large counts" 3 "$programs/large_counts_$flavour" 2
  grep -q '^alltoallv_c,3,.*,large_count,2,' l.csv || { cat l.csv; fail "alltoallv_c of the library"; }
  # Nor has our own code offsets beyond int. Each of the two ranks writes 1 GiB.
  [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 4000000 ] || return 0
  COLLTREE_FORCE=allgatherv=ring COLLTREE_RECORD=$folder/l.csv right "more than int" 2 "$programs/large_counts_$flavour" 0
  grep -q '^allgatherv_c,2,.*,large_count,1,' l.csv || { cat l.csv; fail "allgatherv_c of more than int"; }
}

# Every collective function of the standard is counted, whoever carries it out; show says which share was decided.
case_functions() {
  # In a language whose numbers have a comma.
  localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" || [ $? = 1 ] || fail localedef
  COLLTREE_FORCE=bcast=binomial COLLTREE_RECORD=$folder/r.csv \
    ours 3 env LOCPATH="$folder" LC_ALL=de_DE.UTF-8 "$programs/every_function_$flavour" >called 2>err || { cat called err; fail "every function"; }
  awk -F, '/^#/ { next } !columns { columns = NF } NF != columns { print; wrong = 1 } END { exit wrong || !columns }' r.csv ||
    fail "rows of other columns than the header"
  # A large count that is small is counted as the other function, which has methods.
  sed -E 's/^MPIX?_//; s/^(All(gather|reduce|toall)|Bcast|(Ex)?[Ss]can|Gather|Reduce(_scatter_block)?|Scatter)_c /\1 /' called |
    tr '[:upper:]' '[:lower:]' | awk '{ n[$1] += $2 } END { for (f in n) print f, n[f], 3 * n[f] }' | LC_ALL=C sort >expected
  awk -F, '/^[a-z]+.*,[0-9]/ { calls[$1] += $9; ranks[$1] += $11 }
    END { for (c in calls) print c, calls[c], ranks[c] }' r.csv | LC_ALL=C sort >counted
  diff expected counted || fail "calls counted"
  check_large_counts
  [ "$(wc -l <counted)" -ge 66 ] || fail "only $(wc -l <counted) functions were called"
  grep -q '^gatherv,3,1,3,,default,,no_methods,10,,30,[0-9]' r.csv && grep -q '^iallreduce,3,1,3,,default,,nonblocking,24,,72,[0-9]' r.csv ||
    fail "$(grep -E '^(gatherv|iallreduce),' r.csv)"
  grep -q '^allreduce_init,3,1,3,,default,,persistent,47,,141,[0-9]' r.csv || fail "starts"
  awk -F, '$1 ~ /^i[a-z_]+$|_init/ && !($12 > 0 && $13 > 0 && $20 > 0) { print; wrong = 1 } END { exit wrong }' r.csv || fail "no times of requests"
  "$colltree" show r.csv >shown || fail show
  grep -q '^of the time in collectives .* went to colltree.s methods, .* to the MPI library:$' shown &&
    grep -q '^  iallreduce  *24 calls of .* us, .* of it in MPI_Wait, MPI_Test and the like: nonblocking$' shown && grep -q '^  gatherv  *10 calls of .* us: colltree has no method for it$' shown ||
    { cat shown; fail "what is shown"; }
}

# samples PRELOAD RANKS RANK: a job in which a rank comes 50 ms late to every call, and what its record says of it. The bounds hold on a
# machine under load, too.
samples() {
  COLLTREE_RECORD=$folder/r.csv launch "$1" "$2" "$programs/steps_$flavour" cg 20 "$3" 50000 >out 2>err || { cat out err; fail late; }
  awk -F'[ ,]' -v rank="$3" '/^# late/ && !n++ { first = $3 } /^all(gather|reduce),/ { sites[$15]; calls += $17; time += $18; waiting += $19 }
    END { for (site in sites) count++; exit first != rank || count != 3 || calls < 9 || waiting < 0.3 * time }' r.csv ||
    { cat r.csv; fail "rank $3 of $2 is late in $1"; }
}

# The site of a call from Python is its line, where there is mpi4py for this library.
check_python() {
  local python vendor='from mpi4py import MPI; exit(MPI.get_vendor()[0].replace(" ", "").lower() != "'$flavour'")'
  for python in "$here/../../build/live/mpi4py/bin/python" python3 ""; do plain 1 "$python" -c "$vendor" >out 2>&1 && break; done
  [ -n "$python" ] || return 0
  printf 'from mpi4py import MPI\n\ndef meet():\n  MPI.COMM_WORLD.barrier()\n\nfor i in range(3):\n  meet()\n  MPI.COMM_WORLD.Ibarrier().Wait()\n' >meet.py
  COLLTREE_RECORD=$folder/r.csv ours 2 "$python" meet.py >out 2>err || { cat out err; fail python; }
  [ "$(grep -c -e '^barrier,.*,3,0,6,.*/meet\.py:4,meet,' -e '^ibarrier,.*,3,,6,.*/meet\.py:8,<module>,' r.csv)" = 2 ] || { cat r.csv; fail "lines of Python"; }
  echo "lines of $python"
}

# How long ranks wait and for which, also by clocks that differ, and from where they call.
case_waiting() {
  for ranks in 2 4; do
    samples "$library" $ranks $((ranks - 1))
    FAKE_CLOCK=1 samples "$programs/libfake_nodes_$flavour.so:$library" $ranks 0
  done
  "$colltree" show r.csv >shown || fail show
  head -n 1 shown | grep -q ' of the run is in collectives: .* waiting for late ranks (no method helps; rank 0 is last in .* of it), .* working$' ||
    { cat shown; fail "the first line"; }
  ! command -v addr2line >/dev/null || [ "$(grep -c '^cg at steps\.c:[0-9]* .*all\(gather\|reduce\)' shown)" = 3 ] || { cat shown; fail "lines of call sites"; }
  COLLTREE_SAMPLE=0 COLLTREE_RECORD=$folder/r.csv ours 2 "$programs/steps_$flavour" cg 20 0 0 >out || fail "no samples"
  awk -F, '/^[a-z]/ && $1 != "collective" { n++; samples += $17 } END { exit n != 3 || samples != 0 }' r.csv || { cat r.csv; fail "COLLTREE_SAMPLE=0"; }
  check_python
  # Legal calls of every kind on communicators that come and go, with samples.
  COLLTREE_RECORD=$folder/r.csv right "random calls" 4 "$programs/random_calls_$flavour" 7 600
  COLLTREE_RECORD=$folder/r.csv right "random calls in threads" 4 "$programs/random_calls_$flavour" 8 200 threads
  awk -F, '/^[a-z]/ { samples += $17 } END { exit !samples }' r.csv || fail "no sample of random calls"
}

# Collectives that leave a request, to which a rank comes 20 ms late. Their time in the record is no more than that between the ends of
# their calls, and no less than the time for which ranks are known to have waited there.
case_posted() {
  for ranks in 1 2 3 4; do
    COLLTREE_RECORD=$folder/r.csv ours $ranks "$programs/steps_$flavour" posted 8 $((ranks - 1)) 20000 >out 2>err || { cat out err; fail posted; }
    awk -F, 'NR == FNR { if (/^[a-z]/ && $9 != "calls") time[$1] += $12 + $20; next }
      FNR > 1 { split($0, seen, " "); n = split(seen[1], functions, "+"); found = 0; for (i = 1; i <= n; ++i) found += time[functions[i]]
        print seen[1], found, "us of", seen[2], "us, at least", seen[3]; if (!found || found > seen[2] || found < 0.9 * seen[3]) wrong = 1 }
      END { exit wrong || FNR < 4 }' r.csv out >compared || { cat compared r.csv; fail "$ranks ranks: times of requests"; }
    cat compared
    # Without requests, but passed on: those that wait for the root.
    awk -F, -v ranks=$ranks '$1 == "scatterv" && $17 >= 4 * ranks && $19 >= (1 - 1 / ranks) * 60000 { found = 1 } END { exit !found && ranks > 1 }' r.csv ||
      { cat r.csv; fail "samples of scatterv"; }
  done
  # Two collectives and two messages, completed by one call in the second step, which the collectives share.
  COLLTREE_RECORD=$folder/r.csv ours 2 "$programs/steps_$flavour" posted 2 0 200000 >out 2>err || { cat out err; fail posted; }
  awk -F, '/^(ialltoall|ibarrier),/ { time[$1] = $20 } END { exit !(time["ibarrier"] > 60000 && time["ialltoall"] > 200000) }' r.csv ||
    { cat r.csv; fail "a wait for two collectives"; }
  "$colltree" show r.csv >shown || fail show
  grep -q '^  iallreduce  *2 calls of [0-9.]* us, [0-9.]* % of it in MPI_Wait, MPI_Test and the like: nonblocking$' shown || { cat shown; fail "what is shown"; }
}

# A rank is killed in a method of each kind: the others get an error, revoke, shrink and go on. Open MPI 5 and later.
# fault_tolerant RANKS METHOD PRELOAD PROGRAM...: it says "ok" and no more.
fault_tolerant() {
  local ranks=$1 method=$2 preload=$3
  shift 3
  COLLTREE_FORCE=$method timeout -k 5 "$patience" mpirun.openmpi --with-ft ulfm --oversubscribe --mca btl sm,self -n "$ranks" \
    -x LD_PRELOAD="$preload" -x COLLTREE_FORCE "$@" >out 2>err </dev/null
  [ "$(cat out)" = ok ] || { cat out err; fail "$ranks ranks, $method: $*"; }
}

# Every method: which rank is lost and at which of its messages, the communicator and how the others continue are drawn.
case_ulfm() {
  local program=$programs/ulfm_$flavour method nodes ranks lost message flags n=0
  "$program"; [ $? != 77 ] || { echo "no ULFM in this library"; exit 77; }
  RANDOM=1
  while read -r method nodes; do
    for ranks in $([ -n "$full" ] && echo 3 4 5 3 4 5 || echo $((3 + n % 3))); do
      lost=$((RANDOM % ranks)) message=$((RANDOM % 5)) flags=""
      [ $((RANDOM % 2)) = 0 ] || flags+=" dup"
      [ $((RANDOM % 2)) = 0 ] || flags+=" small"
      case $((RANDOM % 5)) in
        0) flags+=" first" ;;
        1) flags+=" revoke" message=0 ;;
        2) flags+=" first revoke" message=0 ;;
        3) flags+=" agree" ;;
      esac
      case $method in
        *=shared_*) flags+=" memory whole" ;;
        *_shared*) flags+=" memory" ;;
      esac
      fault_tolerant "$ranks" "$method" "$([ "$nodes" != nodes ] || echo "$programs/libfake_nodes_$flavour.so:")$library" \
        "$program" "${method%%=*}" $lost $message $flags
      n=$((n + 1))
    done
  done < <(every_method)
  [ $n -gt 100 ] || fail "only $n jobs"
  echo "$n jobs"
  command -v mpifort.openmpi >/dev/null || return 0
  for n in 1 2 3; do
    mpifort.openmpi -w -DINTERFACE=$n "$here/ulfm.F90" -o revoke_$n && fault_tolerant 3 bcast=binomial "$library" ./revoke_$n
  done
}

case_trouble() {
  local program=$programs/programs_$flavour
  said() { # PATTERN TIMES: what standard error holds
    [ "$(grep -c "^colltree: $1" err)" = "$2" ] || { cat err; fail "expected $2 times: colltree: $1"; }
  }
  # Nothing asked for: nothing said.
  ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "without a model"
  said '' 0
  echo broken >broken.cdt
  COLLTREE_MODEL=broken.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "broken model"
  said 'broken.cdt: .*; running without a model' 1
  COLLTREE_MODEL=missing.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "missing model"
  said 'missing.cdt: No such file or directory; running without a model' 1
  # A pipe that nobody writes is not waited for.
  mkfifo pipe.cdt
  COLLTREE_MODEL=pipe.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "a pipe for a model"
  said 'pipe.cdt: not a compact decision file; running without a model' 1
  "$programs/random_model" foreign foreign.cdt || fail random_model
  COLLTREE_MODEL=foreign.cdt COLLTREE_RECORD=r.csv ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "foreign"
  said 'foreign.cdt: none of its methods for bcast is one of ours (basic_linear)' 1
  grep -q '^bcast,3,1,3,400,default,,not_ours,' r.csv || fail "not_ours is not in the record"
  # Where a model comes from: another's algorithms are not run under our names; what may be wrong is recorded, and said by run, not by the ranks.
  for origin in simulated openmpi elsewhere unknown; do
    "$programs/random_model" $origin $origin.cdt || fail random_model
    COLLTREE_MODEL=$origin.cdt COLLTREE_RECORD=$origin.csv ours 3 "$program" plain >out 2>err && grep -qx ok out || fail $origin
    said "$origin.cdt: its methods are algorithms of openmpi, .*without a model$" $([ $origin = openmpi ] && echo 1 || echo 0)
    said '' $([ $origin = openmpi ] && echo 1 || echo 0)
    [ $origin != openmpi ] || continue
    "$colltree" run --model $origin.cdt -- mpirun.openmpi --oversubscribe --mca btl vader,self -n 2 "$program" plain >out 2>err && grep -qx ok out || fail $origin
    said "$origin.cdt: \(its times were simulated\|its times were measured under mpich-4.0.2\|it does not say whose\)" 1
    said '' 1
  done
  grep -q '^bcast,.*,binomial,0,model,' simulated.csv && grep -qx '# model_provenance simulated' simulated.csv || fail "simulated"
  grep -q '^bcast,.*,binomial,0,model,' unknown.csv && grep -qx '# model_algorithms ' unknown.csv || fail "unknown"
  grep -q binomial openmpi.csv && fail "the algorithms of another were run as ours"
  "$programs/random_model" gatherv other.cdt || fail random_model
  COLLTREE_MODEL=other.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "other collectives"
  COLLTREE_FORCE=bcast=nothing ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "unknown method"
  said "COLLTREE_FORCE: 'bcast=nothing' is not COLLECTIVE=METHOD" 1
  COLLTREE_RECORD=/proc/no/record ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "record path"
  said '/proc/no/record: .*; nothing is recorded' 1
  # Nor one that nobody reads; and the record does not take the model's place.
  COLLTREE_RECORD=pipe.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "a pipe for a record"
  said 'pipe.cdt: nobody reads this pipe; nothing is recorded' 1
  cp other.cdt kept.cdt
  ln -s other.cdt link.cdt
  COLLTREE_MODEL=other.cdt COLLTREE_RECORD=link.cdt ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "the model for a record"
  said 'link.cdt: is the model; nothing is recorded' 1
  cmp other.cdt kept.cdt || fail "the model is gone"
  COLLTREE_MODEL=$(printf 'a\n\033[2J') ours 3 "$program" plain >out 2>err && grep -qx ok out || fail "control characters"
  said 'a??\[2J: No such file or directory; running without a model' 1
  # Ranks without the library are found out.
  COLLTREE_PATIENCE=1 COLLTREE_FORCE=bcast=binomial timeout -k 5 60 mpirun.openmpi --oversubscribe --mca btl vader,self \
    -n 1 "$program" plain : -n 2 -x LD_PRELOAD="$library" -x COLLTREE_FORCE "$program" plain >out 2>err && fail "a rank without the library"
  grep -q '^colltree: waited 1 s in MPI_Init for ranks without this library' err || { cat out err; fail "a rank without the library"; }
  # A job that dies leaves a record that says so, and no hang.
  COLLTREE_RECORD=r.csv COLLTREE_FORCE=bcast=binomial ours 3 "$program" abort >/dev/null 2>&1 && fail "abort: exit code 0"
  grep -qx '# state aborted' r.csv && grep -q '^bcast,3,1,3,4,binomial,0,forced,1,' r.csv || { cat r.csv; fail "abort"; }
  COLLTREE_RECORD=r.csv COLLTREE_FORCE=bcast=binomial ours 3 "$program" killed >/dev/null 2>&1 && fail "killed: exit code 0"
  head -n 1 r.csv | grep -qx '# colltree record 2' || fail "killed"
}

# The library of another flavour, whose handles are others, says so once and passes every call on.
case_misfit() {
  local other program arguments tried=0
  for other in openmpi mpich abi; do
    [ $other != "$flavour" ] && [ -e "$build/libcolltree-$other.so" ] || continue
    while read -r program arguments; do
      [ -x "$programs/${program}_$flavour" ] || continue
      # shellcheck disable=SC2086
      plain 3 "$programs/${program}_$flavour" $arguments 2>&1 | LC_ALL=C sort >expected
      # shellcheck disable=SC2086
      COLLTREE_FORCE=bcast=binomial COLLTREE_RECORD=$folder/r.csv launch "$build/libcolltree-$other.so" 3 \
        "$programs/${program}_$flavour" $arguments >out 2>err
      LC_ALL=C sort out | diff expected - && [ "$(grep -c "^colltree: libcolltree-$other.so does not fit .* preload libcolltree-$flavour.so" err)" = 1 ] &&
        [ "$(grep -c ^colltree: err)" = 1 ] && [ ! -e r.csv ] || { cat err; fail "libcolltree-$other.so in front of $program"; }
      tried=$((tried + 1))
    done <<'END'
programs plain
programs intercommunicator
every_function
END
  done
  [ $tried -gt 0 ] || { echo "only one flavour is built"; exit 77; }
  echo "$tried programs"
}

case_run() {
  local launcher=mpirun.openmpi
  local arguments="--oversubscribe --mca btl vader,self -n 3"
  [ "$flavour" = openmpi ] || { launcher=mpirun.mpich && arguments="-launcher fork -n 3"; }
  # colltree itself has it too then, before the sanitizer that it may be built with.
  [ "$flavour" = openmpi ] || export LD_PRELOAD=$yield ASAN_OPTIONS=verify_asan_link_order=0
  "$programs/random_model" 5 model.cdt
  # shellcheck disable=SC2086
  "$colltree" run --model model.cdt --record r.csv --check -- timeout -k 5 900 $launcher $arguments \
    "$programs/random_calls_$flavour" 5 300 >out 2>err
  [ $? = 0 ] && tail -n 1 out | grep -q ^ok || { cat out err; fail run; }
  unset LD_PRELOAD
  grep -q ',model,' r.csv || fail "the model decided nothing"
  "$colltree" show r.csv >shown && head -n 1 shown | grep -q 'of the run is in collectives: .* waiting for late ranks' || fail show
  "$colltree" show r.csv --json | grep -q '"rank_calls"' || fail "show --json"
  # Each program of one job gets the variables: all ranks meet in MPI_Init.
  # shellcheck disable=SC2086
  "$colltree" run --methods allreduce=recursive_doubling --record two.csv -- timeout -k 5 120 $launcher ${arguments/3/1} \
    "$programs/clients_$flavour" many 2 : -n 1 "$programs/clients_$flavour" many 2 >out 2>err
  grep -qx ok out && grep -q '^allreduce,2,.*,forced,' two.csv || { cat out err; fail "two programs in one job"; }
  "$colltree" run --mpi $flavour --methods bcast=binomial --dry-run -- srun -n 1 ./a : -n 1 ./b >out 2>err
  [ "$(grep -o -e --export=ALL,LD_PRELOAD= out | wc -l)" = 2 ] || { cat out err; fail "srun with two programs"; }
  # The library is that of the program, not that of the launcher, which may start programs of several.
  "$colltree" run --methods bcast=binomial --dry-run -- $launcher -n 2 env "$programs/clients_$flavour" >out 2>err
  grep -q "LD_PRELOAD.*/libcolltree-$flavour.so " out || { cat out err; fail "which library"; }
  "$colltree" run -- $launcher 2>err && fail "run without anything to do"
  grep -q 'give --model' err || fail "$(cat err)"
  for force in bcast=nothing bcast bcast=binomial/x bcast=binomial,bcast=linear alltoall=bruck@radix=1; do
    "$colltree" run --methods $force -- $launcher 2>err; [ $? = 2 ] && grep -q '^colltree: --methods: ' err || fail "run --methods $force"
  done
  "$colltree" run --methods bcast=binomial/8K,reduce=default,alltoall=bruck@radix=4 --dry-run -- $launcher >out 2>err || fail "$(cat err)"
  "$colltree" run --model model.cdt --record model.cdt --dry-run -- $launcher 2>err; [ $? = 2 ] || fail "the model for a record"
  "$colltree" run --model r.csv -- $launcher 2>err && fail "run with another file as model"
  grep -q 'r.csv' err || fail "$(cat err)"
}

# A program under two commands in turns: what makes it slow is found among innocent variables, a setting of Open MPI or two variables
# that matter only together (MPICH's ranks poll, and beside others no setting of it is slow for sure); and what a run that fails leaves.
case_turns() {
  local launcher="mpirun.openmpi --oversubscribe" a="ONE=1 TWO=1 OMPI_MCA_btl=vader,self" b="ONE=2 OMPI_MCA_btl=tcp,self THREE=3" program
  local calls=6000 answer='OMPI_MCA_btl=tcp,self explains [0-9]+ % of the difference'
  if [ "$flavour" != openmpi ]; then
    launcher="mpirun.mpich -launcher fork -genv LD_PRELOAD $yield" a="ONE=1 TWO=1" b="ONE=2 MANY_CALLS_SLEEPS=1 MANY_CALLS_SLEEP_MS=30 THREE=3"
    calls=100 answer='MANY_CALLS_SLEEPS=1 and MANY_CALLS_SLEEP_MS=30 together explain [0-9]+ % of the difference; none of them alone explains half of it'
  fi
  program="$launcher -n 2 $programs/many_calls_$flavour"
  "$colltree" verify program --bisect --half-width 1000 -o t.csv --a "$a $program $calls 64" --b "$b $program $calls 64" >out 2>err
  [ $? = 1 ] && tail -n 1 err | grep -q '^colltree: b takes .* times as long as a (' || { cat out err; fail "the exit code of a slower program"; }
  tail -n 1 out | grep -qxE "$answer" || { cat out err; fail "not found: $answer"; }
  grep -qE '^allreduce  *2  *64 .* slower  allreduce at many_calls.c:[0-9]+$' out || { cat out; fail "which call"; }
  [ "$(cut -d, -f1-3 t.csv | paste -sd' ')" = "part,communicator_size,size_class whole command,, after MPI_Init,, in collectives,, $(
    sed -nE 's/^(all[a-z]*|barrier|bcast|reduce)  *2  *([0-9]+) .*/\1,2,\2/p' out | paste -sd' ')" ] || { cat out t.csv; fail "CSV"; }
  # Too few pairs are no answer.
  "$colltree" verify program --budget 0.001s --a "$program 2 64" --b "$program 2 64" --json >out 2>err
  [ $? = 3 ] && grep -q '"pairs": 1,' out && [ "$(tail -n 1 err)" = "colltree: cannot tell: an interval needs 6 pairs, and the --budget was spent after 1" ] ||
    { cat out err; fail "one pair"; }
  # The commands change places from pair to pair; what fails is named, with the last line that it said, and the pairs before it stay.
  printf '#!/bin/sh\nprintf "$1" >>order && shift\n[ "$(cat order)" = ABBAA ] || exec "$@"\necho first >&2\necho the last line >&2\nexit 7\n' >fails
  chmod +x fails
  "$colltree" verify program --a "./fails A $program 2 64" --b "./fails B $program 2 64" >out 2>err
  [ $? = 1 ] && [[ "$(tail -n 1 err)" == "colltree: ./fails A mpirun."*" 2 64: exit code 7: the last line" ]] && [ "$(cat order)" = ABBAA ] &&
    grep -q '^pairs of runs: 2;' out || { cat out err order; fail "a run that fails"; }
  "$colltree" verify program --mpi "$flavour" --a true --b true >out 2>err
  [ $? = 1 ] && grep -q "^colltree: true: recorded nothing, because MPI_Init did not pass through $library; " err || { cat err; fail "no record"; }
  [ "$(ls)" = "$(printf 'err\nfails\norder\nout\nt.csv')" ] || { ls; fail "what is left"; }
}

# What `run` does for every launcher, also when the user's command brings a library of its own; what --dry-run prints does the
# same; and what it says when MPI_Init did not pass.
case_launchers() {
  local launcher=mpirun.openmpi arguments="--oversubscribe --mca btl vader,self -n 2" given="-x LD_PRELOAD=" line n lines=()
  local profiler=$programs/libprofiler_$flavour.so unseen=$programs/unseen_$flavour
  [ "$flavour" = openmpi ] || { launcher=mpirun.mpich && arguments="-launcher fork -n 2" given="-genv LD_PRELOAD "; }
  mkdir bin 'a b'
  for line in srun flux jsrun prun; do ln -s "$here/stand_in_launcher" bin/$line; done
  PATH=$folder/bin:$PATH
  printf '#!/bin/sh\nset | grep -E "^(LD_PRELOAD|COLLTREE_(RECORD|FORCE))="\nprintf "<%%s>\\n" "$@"\n' >'a b/program'
  chmod +x 'a b/program'
  while read -r line; do
    lines+=("$line")
    eval "set -- $line"
    "$colltree" run --mpi "$flavour" --record 'a b/r.csv' --methods bcast=binomial -- "$@" 'a b/program' "it's" 'x  y' >run.out 2>run.err ||
      { cat run.err; fail "$line"; }
    "$colltree" run --mpi "$flavour" --record 'a b/r.csv' --methods bcast=binomial --dry-run -- "$@" 'a b/program' "it's" 'x  y' >printed 2>/dev/null
    eval "$(cat printed)" >printed.out 2>&1 || { cat printed printed.out; fail "printed for $line"; }
    [ "$(LC_ALL=C sort -u run.out)" = "$(LC_ALL=C sort -u printed.out)" ] || { cat printed; diff run.out printed.out; fail "printed for $line"; }
    grep -q "^LD_PRELOAD='\?$library" run.out && grep -q "^COLLTREE_RECORD=.*/a b/r.csv" run.out && grep -qE "^COLLTREE_FORCE='?bcast=binomial" run.out &&
      grep -qx "<it's>" run.out && grep -qx '<x  y>' run.out || { cat printed run.out; fail "$line"; }
    [[ "$line" != *profiler* ]] || grep -q "^LD_PRELOAD='\?$library:$profiler" run.out || { cat printed run.out; fail "$line"; }
  done <<END
$launcher $arguments
$launcher $arguments $given$profiler
env LD_PRELOAD=$profiler $launcher $arguments
$launcher $arguments env LD_PRELOAD=$profiler
env
env LD_PRELOAD=$profiler
sh -c 'LD_PRELOAD=$profiler "\$0" "\$@"'
srun -n 2
srun -n 2 --export=ALL,LD_PRELOAD=$profiler
srun --export=NONE -n 2
flux run -n 2
flux run -n 2 --env=LD_PRELOAD=$profiler
jsrun -n 2
jsrun -n 2 -E LD_PRELOAD=$profiler
prun -n 2
prun -n 2 -x LD_PRELOAD=$profiler
END
  # The profiler sees MPI_Init, colltree the collectives.
  # shellcheck disable=SC2086
  "$colltree" run --record r.csv --methods bcast=binomial -- $launcher $arguments $given$profiler "$unseen" late >out 2>err || { cat err; fail late; }
  # shellcheck disable=SC2086
  "$colltree" run --record p.csv --methods bcast=binomial -- $launcher $arguments $given$profiler "$programs/programs_$flavour" plain >out 2>err
  grep -qx 'profiler: init 1, bcast 0' err && grep -q "^colltree: $profiler is loaded behind libcolltree-$flavour.so" err && grep -q ,forced, p.csv ||
    { cat out err; fail "a profiler beside colltree"; }
  # MPI_Init is not seen: the first collective of all ranks begins the job, and not one of fewer before it.
  awk -F, '/^bcast,/ { n += $11 } END { exit n != 4 }' r.csv && grep -q '^bcast,2,.*,forced,1,' r.csv || { cat r.csv err; fail "PMPI_Init"; }
  local -a modes=("none" "handle $(ldd "$unseen" | awk '/libmpi(ch)?(_abi)?\.so/ { print $3; exit }')" "sessions")
  for line in "${modes[@]}"; do
    rm -f r.csv
    # shellcheck disable=SC2086
    plain 1 "$unseen" $line >/dev/null 2>&1
    n=$?
    [ $n != 77 ] || continue
    # shellcheck disable=SC2086
    "$colltree" run --record r.csv --methods bcast=binomial -- $launcher $arguments "$unseen" $line >out 2>err || { cat err; fail "$line"; }
    [ "$(grep -c "^colltree: MPI_Init did not pass through colltree's library" err)" = 1 ] && [ ! -e r.csv ] || { cat out err; fail "$line"; }
    # shellcheck disable=SC2086
    "$colltree" run --record r.csv -- "$unseen" $line >out 2>err || { cat err; fail "alone: $line"; }
    [ "$(grep -c "^colltree: MPI_Init did not pass" err)" = 1 ] || { cat out err; fail "alone: $line"; }
  done
  cp /bin/true serial  # it could be a launcher of other machines
  # What the line advises; and nothing is said where a rank entered, or where what ran is not seen from here.
  # shellcheck disable=SC2086
  "$colltree" run --record r.csv --methods bcast=binomial -- $launcher $arguments "$unseen" handle "$library" >out 2>err || { cat err; fail "by our handle"; }
  grep -q '^bcast,2,.*,forced,1,' r.csv && [ ! -s err ] || { cat err; fail "by our handle"; }
  for line in "sh -c 'true; true'" "$launcher $arguments false" "srun -n 2 ./missing" "$folder/serial $unseen" "$launcher $arguments sh -c '$unseen none; true'"; do
    eval "set -- $line"
    "$colltree" run --mpi "$flavour" --record r.csv -- "$@" >out 2>err
    grep -q 'MPI_Init did not pass' err && [[ "$line" != *unseen* ]] && { cat err; fail "said for $line"; }
  done
  # It ends as the program does, and passes signals on to it.
  "$colltree" run --mpi "$flavour" --record r.csv -- sh -c 'exit 7' 2>err; [ $? = 7 ] || fail "exit code"
  "$colltree" run --mpi "$flavour" --record r.csv -- sh -c 'kill -KILL $$' 2>err; [ $? = 137 ] || fail "the end by a signal"
  "$colltree" run --mpi "$flavour" --record r.csv -- sh -c 'trap "echo got; exit 5" TERM; echo ready; while :; do sleep 0.05; done' >out 2>err &
  n=$!
  until grep -q ready out; do sleep 0.05; done
  kill -TERM $n; wait $n; [ $? = 5 ] && grep -qx got out || { cat out; fail "a signal"; }
  "$colltree" run --mpi "$flavour" --record r.csv -- ./missing 2>err; [ $? = 127 ] || { cat err; fail "no program"; }
}

# A whole program in Fortran: the same energy, every call in the record, and a model fitted to its mix.
case_application() {
  local pseudo=/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz
  command -v pw.x >/dev/null && [ -s "$pseudo" ] || { echo "no quantum-espresso with its examples"; exit 77; }
  mkdir out.pw
  zcat "$pseudo" >Si.pz-vbc.UPF
  energy() { grep '^!' | awk '{ print $5 }'; }
  local pw="pw.x -input $here/../campaign/silicon.in" methods
  "$colltree" measure --launcher 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' --collective bcast,reduce,alltoall \
    --communicator-sizes "2${full:+,4}" --message-sizes 8,16K --segment-sizes 0 --samples 1..4 \
    --cell-budget 0.002 --foreign-load 0 -o own.db >/dev/null || fail measure
  # Where the library's own choice happens to be the fastest everywhere, a model rightly decides nothing.
  "$colltree" export own.db -o - | grep -v ',default,' >ours.csv
  "$colltree" import ours.csv -o ours.db >/dev/null || fail import
  methods=$(nth_methods 2)
  for ranks in 2 ${full:+4}; do
    without=$(plain "$ranks" $pw 2>&1 | energy)
    [ -n "$without" ] || fail "pw.x does not run"
    rm -f counted
    under=$(COUNT_CALLS_FILE=$folder/counted COLLTREE_FORCE=$methods COLLTREE_RECORD=$folder/r.csv \
      launch "$programs/libcount_calls.so:$library" "$ranks" $pw 2>&1 | energy)
    [ "$under" = "$without" ] || fail "$ranks ranks: energy $without alone, $under under $methods"
    awk '{ calls[$1] += $2 } END { for (c in calls) print c, calls[c] }' counted | LC_ALL=C sort >independent
    awk -F, '/^[a-z]+.*,[0-9]/ && $5 != "" { ranks[$1] += $11 } END { for (c in ranks) print c, ranks[c] }' r.csv | LC_ALL=C sort >recorded
    diff independent recorded || fail "$ranks ranks: the record counts otherwise"
    echo "$ranks ranks: energy $under; $(awk '{ n += $2 } END { print n }' recorded) calls recorded"
    "$colltree" fit quadtree ours.db --collective bcast,reduce,alltoall --mix r.csv --parameters accuracy_threshold=0.95 -o mixed.json || fail fit
    "$colltree" emit cdt mixed.json -o mixed.cdt || fail emit
    refitted=$(COLLTREE_MODEL=mixed.cdt COLLTREE_RECORD=$folder/s.csv launch "$library" "$ranks" $pw 2>&1 | energy)
    [ "$refitted" = "$without" ] || fail "$ranks ranks: energy $refitted under the model of its mix"
    grep -q ',model,' s.csv || fail "the refitted model decided nothing"
    "$colltree" show s.csv --on own.db | tail -n 1 | grep 'would save' || fail "show --on"
  done
}

"case_$case"
echo ok
