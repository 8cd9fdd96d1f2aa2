#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scenarios.sh BUILD NAME: runs one scenario in an empty directory; the first thing that is not as it
# must be ends it with a message.
set -u
# Leaks are looked for where commands run in the tests' own process: it is half of a short program's time.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
here=$(cd "$(dirname "$0")" && pwd)
build=$1
colltree=$build/colltree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PATH=$PATH:$here/../../build/live/bin
source "$here/../rule_target.sh"

# MPICH spins; on few cores it needs a yield (tests/algorithms/yield_preload.c).
mpich_launcher="mpirun.mpich -launcher fork -genv LD_PRELOAD $build/tests/algorithms/libcolltree_yield_preload.so -np {ranks}"

die() { echo "FAILED: $*" >&2; exit 1; }
ok() { "$@" >out 2>err || { cat out err >&2; die "exit code $?: $*"; }; }
# chosen CALL...: the method that `explain` prints for the call goes to out.
chosen() { ok "$colltree" explain "$@" --json; sed -i -E 's/.*"method":"([^"]*)".*/\1/' out; }
# fails CODE "exact error" command...: exit code and the whole of the error output.
fails() {
  local code=$1 text=$2 got
  shift 2
  "$@" >out 2>err; got=$?
  [ $got -eq "$code" ] || { cat out err >&2; die "exit code $got, not $code: $*"; }
  [ "$(grep -v '^measuring ' err)" = "$text" ] || { echo "got:  $(cat err)" >&2; die "want: $text"; }
}
csv() { ok "$colltree" export "$1" -o "$1.csv"; }
tiny=(measure --platform grig --grid tiny --methods papers)

# Times are those of the simulator's version: one stored grid for each that was looked at.
stored_grid() {
  local version
  version=$(sed -n '2s/^[^,]*,smpi-\([0-9.]*\),.*/\1/p' "$1")
  [ -s "$here/grig_tiny-$version.csv" ] || die "no stored times of SimGrid $version: judge those of $1, then store them"
  echo "$here/grig_tiny-$version.csv"
}
# Two tables of the same cells, times within the nanosecond that the simulator resolves: what ran before moves them by less.
same_times() {
  diff <(cut -d, -f1-10 "$1") <(cut -d, -f1-10 "$2") && paste -d, "$1" "$2" | awk -F, 'NR > 1 {
    d = $11 - $22; if (d < -1e-3 || d > 1e-3) { print; bad = 1 } } END { exit bad }'
}
simulated_grid_is_the_stored_one() {
  ok "$colltree" "${tiny[@]}" -o a.db
  csv a.db
  same_times a.db.csv "$(stored_grid a.db.csv)" || die "the simulated times changed: if that is meant, store a.db.csv anew"
  ok "$colltree" "${tiny[@]}" --jobs 1 -o b.db
  csv b.db
  cmp a.db.csv b.db.csv || die "results depend on the number of jobs"
  ok "$colltree" "${tiny[@]}" -o a.db
  grep -q '0 cells measured, 498 there before' out || die "finished cells were measured again: $(cat out)"
}

# Ours of all 14 collectives: every algorithm runs somewhere with the right result, none where its needs are not met.
every_collective_is_simulated() {
  ok "$colltree" measure --platform grig --collective all --communicator-sizes 3,4,8 --message-sizes 2,64,9000 \
    --segment-sizes 0,1K -o own.db
  # SMPI 3.32's own reduce_scatter gives wrong sums where ranks have no part.
  [ "$(count "SELECT * FROM cells WHERE status <> 'ok' AND algorithm <> 'default'")" -eq 0 ] ||
    { "$colltree" show own.db >&2; die "$(cat out)"; }
  [ "$(count 'SELECT DISTINCT collective FROM cells')" -eq 14 ] || die "not all 14 collectives"
  # What knows the nodes needs several with several ranks.
  ok "$colltree" measure --platform modern --ranks-per-node 2 --collective allgather,allgatherv,allreduce,alltoall,alltoallv,barrier,bcast,reduce \
    --communicator-sizes 4 --message-sizes 64 --segment-sizes 0 -o nodes.db
  grep -q ' 0 failed' out || die "$(cat out)"
  local rows missing
  rows=$(for profile in own nodes; do sqlite3 -readonly $profile.db "SELECT DISTINCT collective || ' ' || algorithm FROM cells"; done)
  # Unindented lines are collectives, the first word of the others is an algorithm. The simulator has no memory that ranks share.
  ! grep -q shared_memory <<<"$rows" || die "rows in shared memory were simulated"
  missing=$("$colltree" measure methods | awk '/^[a-z]/ { c = $1; next } !/share memory/ { print c, $1 }' | grep -vxF "$rows")
  [ -z "$missing" ] || die "never ran: $missing"
  [ "$(count "SELECT * FROM cells WHERE algorithm = 'pairwise' AND collective LIKE 'alltoall%' AND communicator_size = 3")" -eq 0 ] ||
    die "pairwise needs a power of two of ranks"
  [ "$(count "SELECT * FROM cells WHERE algorithm IN ('ring', 'rabenseifner') AND collective = 'allreduce' AND message_size < communicator_size")" -eq 0 ] ||
    die "a rank has no byte"
}

# The model to deploy and what stands beside it; the second time nothing is measured again.
tune_leaves_what_it_says() {
  local tune=(tune --platform grig --collective bcast,reduce --communicator-sizes 2..8 --message-sizes 1..64K:x4 -o t)
  ok "$colltree" "${tune[@]}"
  [ "$(wc -l <out)" -le 16 ] || die "more than the answer: $(cat out)"
  grep -q '^  bcast  *1B..1K ' out || die "no answer for bcast: $(cat out)"
  cat t/*.c >/dev/null || die "no source"
  for file in bcast bcast-quadtree3 reduce reduce-c45-m40-c5 bcast+reduce-c45-m2-c25; do
    [ -s t/$file.json ] && [ -s t/$file.c ] || die "t/$file.json or .c is missing: $(ls t)"
  done
  tail -n 1 out | grep -q ' not for deployment: these times are simulated' || die "last line: $(tail -n 1 out)"
  sed -n '/^Verdict for grig/,$p' out | cmp - t/verdict.txt || die "another verdict: $(cat t/verdict.txt)"
  ok "$colltree" show t --watch
  grep -q '; nothing measures into it now$' out || die "show t says: $(cat out)"
  sed -n '/^Verdict for grig/,$p' out | cmp - t/verdict.txt || die "show t has another verdict: $(cat out)"
  ok "$colltree" "${tune[@]}" --details
  grep -q 'bcast (to deploy, [0-9]* leaves)' out || die "no model to deploy: $(cat out)"
  ok "$colltree" report t/profile.db --collective bcast --fit optimal:leaves=2 -o t/report.html
  grep -q 'Verdict for grig (simulated' t/report.html || die "the report has no verdict"
  cp t/profile.db beside.db
  ok "$colltree" report beside.db --json --fit optimal:leaves=1
  ! grep -q 'Verdict for' out || die "the report of a profile that was not tuned has the verdict of another one"
  for instance in "bcast 4 64" "bcast 8 64K" "reduce 3 1K"; do
    # shellcheck disable=SC2086
    read -r collective ranks bytes <<<"$instance"
    ok "$colltree" explain "$collective" "$ranks" "$bytes" --json --model t/tuned.cdt
    # shellcheck disable=SC2086
    [ "$(<out)" = "$("$colltree" explain "$collective" "$ranks" "$bytes" --json --model "t/$collective.json")" ] || die "t/tuned.cdt: $(<out)"
  done
  ok "$colltree" evaluate t/bcast.json --on t/profile.db
  grep -q 'bcast.json (optimal) .* training grid' out || die "not the training grid: $(cat out)"
  cc -c -Wall -Wextra -Werror -o t/bcast.o t/bcast.c || die "t/bcast.c does not compile"
  ok "$colltree" "${tune[@]}" --json
  grep -q '"deploy": true' out || die "JSON names no model to deploy"
  ok "$colltree" "${tune[@]}"
  grep -q ': 0 cells measured' out || die "measured again: $(cat out)"
}

killed_campaign_continues() {
  local grid=(measure --platform grig --collective bcast,reduce --communicator-sizes 2..7 --message-sizes 1..64K:x4)
  ok "$colltree" "${grid[@]}" -o whole.db
  csv whole.db
  local kills=0 before=-1
  while [ $kills -lt 3 ]; do
    "$colltree" "${grid[@]}" -o killed.db >/dev/null 2>&1 &
    local pid=$!
    # Wait for progress beyond the last kill, then kill without mercy.
    while sleep 0.05; do
      local now
      now=$(sqlite3 -readonly killed.db 'SELECT count(*) FROM cells' 2>/dev/null || echo 0)
      [ "${now:-0}" -gt "$before" ] && [ "${now:-0}" -gt 0 ] && break
      kill -0 $pid 2>/dev/null || break
    done
    kill -9 $pid 2>/dev/null && kills=$((kills + 1)) || { [ $kills -gt 0 ] && break; }
    wait $pid 2>/dev/null
    before=$(sqlite3 -readonly killed.db 'SELECT count(*) FROM cells' 2>/dev/null || echo 0)
  done
  echo "killed $kills times, last with $before cells stored"
  [ $kills -ge 1 ] || die "the campaign was over before it could be killed"
  ok "$colltree" "${grid[@]}" -o killed.db
  [ "$before" -eq 0 ] || grep -q "$before there before" out || die "stored cells were lost: $(cat out), $before stored"
  csv killed.db
  cmp whole.db.csv killed.db.csv || die "the continued campaign differs"
  # They end when nobody listens.
  for _ in $(seq 600); do pgrep -f "colltree-simulate.*$work" >/dev/null || break; sleep 0.1; done
  pgrep -f "colltree-simulate.*$work" && die "a simulator outlived its campaign"
  ls "$work" | grep -q 'killed.db.plan' || true
}

# Adaptive campaigns: the same times lead to the same cells, the penalty is better than required, and a kill loses nothing.
by_choice_simulated() {
  local grid=(measure --platform grig --methods papers --collective bcast,reduce --communicator-sizes 2..9
    --message-sizes 1..64K:x4)
  ok "$colltree" "${grid[@]}" -o whole.db
  local name
  for name in a b; do
    ok "$colltree" "${grid[@]}" --budget 200cells -o $name.db
    grep -q ': 200 cells measured, 0 there before, 0 failed, [0-9]* left to be predicted; expected penalty of the best known' out ||
      die "$(cat out)"
    csv $name.db
  done
  cmp a.db.csv b.db.csv || die "the same times led to other cells"
  ok "$colltree" show a.db
  grep -q 'cannot run, [0-9]* not measured but predicted; ' out || die "show does not count what is predicted: $(cat out)"
  local collective
  for collective in bcast reduce; do
    ok "$colltree" fit quadtree a.db --collective $collective -o m.json
    ok "$colltree" evaluate m.json --on whole.db --json
    python3 -c 'import json, sys
choosers = json.load(sys.stdin)["collectives"][0]["choosers"]
model = [c for c in choosers if c["chooser"] not in ("default", "best fixed")][0]
sys.exit(model["performance_penalty"]["charged_mean"] > 5)' <out || die "$collective: the map of 200 cells loses more than 5 %: $(cat out)"
  done
  killed_by_choice 150 "$colltree" "${grid[@]}"
  ok "$colltree" "${grid[@]}" -o killed.db
  csv killed.db
  csv whole.db
  same_times whole.db.csv killed.db.csv || die "an adaptive campaign and then the rest do not make the whole grid"
  local try=$'\nTry \'colltree measure --help\'.'
  fails 2 "colltree: --budget: expected a time (90s, 30m, 2h), a share of all cells' cost (5%) or a number of cells (2000cells), got 'much'$try" \
    "$colltree" "${grid[@]}" --budget much -o c.db
}

# Nodes and ranks on each as an axis: measured, decided, deployed; one table for each where a table has no room for it.
placements_simulated() {
  local grid=(--platform modern --methods binomial,linear,default --collective bcast --communicator-sizes 4,8,16
    --message-sizes 1,64K --segment-sizes 0)
  ok "$colltree" measure "${grid[@]}" --ranks-per-node 1,2,all -o placed.db
  # 1, 2, 4 a node of 4 ranks; 1, 2, 8 of 8 and 16; each with two sizes and three methods.
  grep -q ': 54 cells measured' out || die "$(cat out)"
  [ "$(sqlite3 placed.db "SELECT group_concat(place, ' ') FROM (SELECT DISTINCT communicator_size || ':' || nodes || 'x' ||
    ranks_per_node AS place FROM cells ORDER BY communicator_size, nodes DESC)")" = \
    "4:4x1 4:2x2 4:1x4 8:8x1 8:4x2 8:1x8 16:16x1 16:8x2 16:2x8" ] || die "other placements: $(sqlite3 placed.db 'SELECT * FROM cells')"
  ok "$colltree" show placed.db
  grep -q 'communicator sizes 4..16 (3 sizes), ranks per node 1,2,4,8, ' out || die "$(cat out)"
  fails 1 "colltree: placed.db: system modern was measured with several placements; choose with --ranks-per-node which of them to continue, or give another --system" \
    "$colltree" measure "${grid[@]}" -o placed.db
  ok "$colltree" show placed.db --map --ranks-per-node 8
  fails 2 $'colltree: --ranks-per-node: expected a whole number from 1 to 1048576 or all, comma-separated, got \'0\'\nTry \'colltree measure --help\'.' \
    "$colltree" measure "${grid[@]}" --ranks-per-node 1,0 -o none.db
  ok "$colltree" tune "${grid[@]}" --ranks-per-node 1,2,all --budget 40cells --details -o tuned
  grep -q '^bcast, 8 a node: best methods over ' out || die "$(cat out)"
  [ -e tuned/bcast-ppn1-map.csv ] && [ -e tuned/bcast-ppn8-map.csv ] && [ ! -e tuned/bcast-map.csv ] || die "$(ls tuned)"
  grep -q 'left to be predicted' out || die "$(cat out)"
}

# killed_by_choice CELLS COMMAND...: killed three times on the way to CELLS cells.
killed_by_choice() {
  local cells=$1 stored="SELECT count(*) FROM cells WHERE status IN ('ok', 'failed')" before=-1 now pid
  shift
  for _ in 1 2 3; do
    "$@" --budget "${cells}cells" -o killed.db >/dev/null 2>&1 &
    pid=$!
    while sleep 0.05; do
      now=$(sqlite3 -readonly killed.db "$stored" 2>/dev/null || echo 0)
      [ "${now:-0}" -gt "$before" ] && [ "${now:-0}" -gt 0 ] && break
      kill -0 $pid 2>/dev/null || break
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    # Not for reading only: what was half written is rolled back.
    before=$(sqlite3 killed.db "$stored" 2>/dev/null || echo 0)
  done
  [ "$before" -gt 0 ] || die "nothing was stored before the kills"
  ok "$@" --budget "${cells}cells" -o killed.db
  grep -q ", $before there before, " out || die "stored cells were lost: $(cat out), $before stored"
  now=$(sqlite3 killed.db "$stored")
  [ "$now" -eq "$cells" ] || die "not $cells cells but $now: $(cat out)"
}

# One job that takes round after round; the model is fitted to measured and predicted times.
by_choice() {
  local command=("$colltree" measure --launcher "$1" --collective bcast,allreduce --communicator-sizes 2..4
    --message-sizes 1..16K:x4 --segment-sizes 0,4K --samples 3..6 --cell-budget 0.1 --foreign-load 0 --system here)
  killed_by_choice 60 "${command[@]}"
  grep -q 'left to be predicted' out || die "$(cat out)"
  ok "$colltree" fit optimal killed.db --collective bcast -o here.json
  ok "$colltree" show killed.db --map --collective bcast -o map.csv
  grep -q ',predicted,' map.csv || die "the map does not say what is predicted: $(cat map.csv)"
  ok "${command[@]}" --budget 2s -o killed.db
}
by_choice_openmpi() { by_choice 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}'; }
by_choice_mpich() {
  by_choice "$mpich_launcher"
}

interrupted_campaign_continues() {
  local grid=(measure --platform grig --collective bcast --communicator-sizes 20,21 --message-sizes 1..384K:x2)
  "$colltree" "${grid[@]}" -o a.db >out 2>err &
  local pid=$!
  # Once it stores cells it has long prepared for signals.
  while sleep 0.05; do
    [ "$(sqlite3 -readonly a.db 'SELECT count(*) FROM cells' 2>/dev/null || echo 0)" -gt 0 ] && break
    kill -0 $pid 2>/dev/null || break
  done
  kill -TERM $pid 2>/dev/null
  # Unless it was done just then.
  wait $pid && grep -q ' cells measured' out || grep -q 'colltree: interrupted; .* cells are in a.db, the same command continues' err ||
    die "$(cat out err)"
  ok "$colltree" "${grid[@]}" -o a.db
}

noise_is_seeded() {
  local noisy=("${tiny[@]}" --collective bcast --noise spread=0.1,outliers=0.02,seed=3)
  ok "$colltree" "${noisy[@]}" -o a.db
  ok "$colltree" "${noisy[@]}" --jobs 1 -o b.db
  csv a.db; csv b.db
  cmp a.db.csv b.db.csv || die "the same seed gave other noise"
  [ "$(wc -l <a.db.csv)" -gt 1500 ] || die "noise needs repetitions: $(wc -l <a.db.csv) lines"
  "$colltree" "${tiny[@]}" --collective bcast --noise spread=0.1,seed=4 -o a.db >out 2>err && die "two noise models under one name"
  grep -q -- '--system' err || die "no remedy for mixed noise: $(cat err)"
}

smpirun_agrees() {
  ok "$colltree" "${tiny[@]}" --communicator-sizes 5 -o a.db
  csv a.db
  # The plan of one launch, as the coordinator writes it.
  { echo 'colltree-plan 2'; echo 'source portable'; echo 'stop 1 1 0 0.95 0 0 0'
    awk -F, 'NR > 1 { print $3, $4, $7, $8, ($9 == "" ? "-" : $9) }' a.db.csv; echo end; } >plan
  seq -f 'grig-%g' 0 4 >hosts
  smpirun -np 5 -platform "$here/../../platforms/grig.xml" -hostfile hosts --cfg=smpi/privatization:no \
    --cfg=network/model:IB --log=root.thres:critical "$build/libcolltree-measure-smpirun.so" plan >said 2>err || { cat err >&2; die "smpirun"; }
  grep -q '"event":"done"' said || die "smpirun did not come to the end"
  sed -n 's/.*"cell":"\([^"]*\)".*"samples_us":\[\([^]]*\)\].*/\1 \2/p' said | sort >theirs
  awk -F, 'NR > 1 { print $3, $4, $7, $8, ($9 == "" ? "-" : $9), $11 }' a.db.csv | sort >ours
  [ "$(wc -l <ours)" -gt 100 ] && [ "$(wc -l <ours)" = "$(wc -l <theirs)" ] || die "$(wc -l ours theirs)"
  paste -d' ' ours theirs | awk '{ d = $6 - $12; if (d < 0) d = -d; if ($1 $2 $3 $4 $5 != $7 $8 $9 $10 $11 || d > 1e-3 + 1e-6 * $6) { print; bad = 1 } }
    END { exit bad }' || die "smpirun times differ by more than a nanosecond"
}

# Every name that a file for SMPI can hold is what smpirun then switches to, as it says itself; what check does not know it
# does not take either; another algorithm takes another time.
# What `default` stands for is the platform's to say; MPICH's and Open MPI's choice differ.
every_selector() {
  local selector
  for selector in ompi mpich; do
    sed "s/coll-selector\" value=\"ompi\"/coll-selector\" value=\"$selector\"/" "$here/../../platforms/grig.xml" >"$selector.xml"
    ok "$colltree" measure --platform "./$selector.xml" --collective bcast,reduce,allreduce,allgather,gather,scatter,barrier --communicator-sizes 4,5,16 --message-sizes 1K,64K --methods default -o "$selector.db"
    grep -q ' 0 failed' out || die "$selector: $(cat out)"
    ok "$colltree" export "$selector.db" -o "$selector.csv"
  done
  differ=$(diff <(cut -d, -f3- ompi.csv) <(cut -d, -f3- mpich.csv) | grep -c '^<')
  [ "$differ" -gt 10 ] || die "only $differ times differ"
}

chosen_smpi() {
  local names="$here/../../libs/rules/smpi/smpi.cpp" round=0 observed=0 left collective name
  { echo 'colltree-plan 2'; echo 'source portable'; echo 'stop 1 1 0 0.95 0 0 0'; echo 'bcast 5 100000 default -'; echo end; } >plan
  seq -f 'grig-%g' 0 4 >hosts
  smpi_under() {
    smpirun -np 5 -platform "$here/../../platforms/grig.xml" -hostfile hosts --cfg=smpi/privatization:no --cfg=network/model:IB \
      $(grep -v '^#' "$1") "$build/libcolltree-measure-smpirun.so" plan >said 2>&1
  }
  sed -n 's/^ *{Collective::k\([A-Za-z]*\), ".*", "\([^"]*\)"},$/\1 \2/p' "$names" |
    sed -E ':again; s/^([A-Za-z_]*[a-z])([A-Z])([A-Za-z]* )/\1_\2\3/; t again; s/^([^ ]*)/\L\1/' >all
  [ -s all ] || die "no names in $names"
  # One name of each collective at a time; all but bcast's are only switched to.
  while [ -s all ]; do
    awk '!seen[$1]++ { print "--cfg=smpi/" $1 ":" $2 > "options"; next } { print }' all >left
    mv left all
    ok "$colltree" check options --for smpi
    smpi_under options || { tail -3 said >&2; grep -q 'Switch to algorithm' said || die "smpirun with $(cat options)"; }
    while IFS=':' read -r collective name; do
      collective=${collective#--cfg=smpi/}
      grep -q "Switch to algorithm $name for collective $collective$" said || die "$collective is not $name: $(grep Switch said)"
      observed=$((observed + 1))
    done <options
    round=$((round + 1))
  done
  [ "$observed" -gt 30 ] || die "$observed names only"
  echo "proof smpi obeyed: smpirun: $observed choices observed in $round runs; 0 mismatches"
  cat >times.csv <<'END'
system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
s,smpi,bcast,5,5,1,100000,ompi_pipeline,,0,1
s,smpi,bcast,5,5,1,100000,binomial_tree,,0,2
END
  ok "$colltree" import times.csv -o s.db
  ok "$colltree" fit c45 s.db --collective bcast -o s.json
  ok "$colltree" emit smpi s.json -o emitted
  smpi_under emitted
  grep -q 'Switch to algorithm ompi_pipeline for collective bcast$' said || die "$(cat emitted said)"
  sed -n 's/.*"samples_us":\[\([^]]*\)\].*/\1/p' said >one
  echo '--cfg=smpi/bcast:binomial_tree' >other
  smpi_under other
  sed -n 's/.*"samples_us":\[\([^]]*\)\].*/\1/p' said >two
  [ -s one ] && [ -s two ] && ! cmp -s one two || die "the choice changes nothing: $(cat one two)"
  echo '--cfg=smpi/bcast:no_such' >broken
  "$colltree" check broken --for smpi >out 2>err && die "an unknown name is right"
  smpi_under broken && die "smpirun takes an unknown name"
  return 0
}

failing_cell_is_recorded() {
  COLLTREE_TEST_ABORT='reduce 4 1024 binomial 0' ok "$colltree" "${tiny[@]}" -o a.db
  grep -q '497 cells measured, 0 there before, 1 failed' out || die "$(cat out)"
  ok "$colltree" show a.db
  grep -q 'failed' out || die "show does not tell of the failed cell: $(cat out)"
  ok "$colltree" "${tiny[@]}" -o a.db
  grep -q '0 cells measured, 498 there before' out || die "$(cat out)"
  ok "$colltree" "${tiny[@]}" --retry failed -o a.db
  grep -q '1 cells measured, 497 there before, 0 failed' out || die "$(cat out)"
  csv a.db
  ok "$colltree" "${tiny[@]}" -o whole.db
  csv whole.db
  cmp a.db.csv whole.db.csv || die "the repeated cell differs"
}

# What a plan's cells report: lines of the cells of $1 under platform $2, without what frames them.
cells_of() {
  # Lines are numbered and summed up by the job; that is left out.
  "$(dirname "$colltree")/colltree-simulate" "$2" "$1" 1 | grep -E '"event":"(begun|measured|failed)"' |
    sed 's/,"line":[0-9]*,"check":"[0-9a-f]*"}$/}/'
}

# Clusters that are made from a few numbers: messages between cores of a domain, of a node, of a switch and farther take what the
# shape says, wherever 4096 ranks lie they have room, and a shape that is none is refused.
clusters_are_made() {
  local p
  for p in fattree200 fattree400 dragonfly200 dragonfly400; do
    ok "$colltree" measure --platform $p --collective bcast --methods linear_0K --segment-sizes 0 --communicator-sizes 2,17 \
      --message-sizes 8,1M --ranks-per-node 1,32 -o clusters.db
    grep -q ': 8 cells measured, 0 there before, 0 failed' out || die "$p: $(cat out)"
  done
  ok "$colltree" measure --platform fattree200 --collective bcast --methods binomial_0K --communicator-sizes 4096 --message-sizes 8 \
    --ranks-per-node 8 --system all -o all.db
  grep -q ': 1 cells measured' out || die "no 4096 ranks: $(cat out)"
  csv clusters.db
  local version
  version=$(sed -n '2s/^[^,]*,smpi-\([0-9.]*\),.*/\1/p' clusters.db.csv)
  if [ ! -s "$here/clusters-$version.csv" ]; then
    echo "no stored times of SimGrid $version: not compared"
  else
    same_times clusters.db.csv "$here/clusters-$version.csv" || die "the simulated times changed: if that is meant, store clusters.db.csv anew"
  fi
  sed 's/FAT_TREE 3;/FAT_TREE 2;/' "$here/../../platforms/fattree200.xml" >uneven.xml
  fails 1 "colltree: platform: colltree/topology: expected as many numbers in each list as there are levels, got 'FAT_TREE 2;16,16,16;1,16,16;1,1,1'" \
    "$colltree" measure --platform ./uneven.xml --collective bcast --communicator-sizes 2 --message-sizes 8 -o a.db
  sed 's/value="25e9 0.15"/value="fast"/' "$here/../../platforms/fattree200.xml" >fast.xml
  fails 1 "colltree: platform: colltree/network_link: expected bytes per second and microseconds, e.g. 25e9 0.15, got 'fast'" \
    "$colltree" measure --platform ./fast.xml --collective bcast --communicator-sizes 2 --message-sizes 8 -o a.db
}
# Small instances are simulated one after the other in one process: with the times of a process of their own, to the last bit,
# and one that dies takes only its own cell along.
instances_share_a_process() {
  local platform=$here/../../platforms/modern.xml ranks size method
  local head='colltree-plan 2\nsource portable\nstop 1 1 0 0.95 0 0 0\n'
  for ranks in 3 8 9; do
    for size in 8 1000; do
      for method in "allreduce $ranks $size ring 0" "allreduce $ranks $size default -" "alltoall $ranks $size bruck 0" \
        "alltoall $ranks $size linear 0" "bcast $ranks $size binomial 0"; do
        echo "$method"
      done
    done
  done >cells
  { printf "$head"; cat cells; echo end; } >together
  cells_of together "$platform" >one_process
  awk '{ print $1, $2, $3 }' cells | uniq | while read -r ranks; do
    { printf "$head"; grep "^$ranks " cells; echo end; } >alone
    cells_of alone "$platform"
  done >own_processes
  [ "$(grep -c '"measured"' own_processes)" -eq "$(wc -l <cells)" ] || die "not all cells were measured: $(cat own_processes)"
  cmp own_processes one_process || die "an instance's times depend on what ran before it"
  COLLTREE_TEST_ABORT='alltoall 8 1000 linear 0' cells_of together "$platform" >with_abort
  diff one_process with_abort | grep '^[<>]' >differences
  [ "$(grep -c '^<' differences)" -eq 1 ] && [ "$(grep -c '^> .*"failed","cell":"alltoall 8 1000 linear 0"' differences)" -eq 1 ] ||
    die "a cell that died took others along: $(cat differences)"
}

# Where the messages of all ranks take too much memory they share one and carry nothing: times stay the same to the last bit,
# and only contents that a rank has of its own are looked at.
large_payload_is_folded() {
  local platform=$here/../../platforms/grig.xml
  local few=(measure --platform grig --collective all --communicator-sizes 5,8 --message-sizes 64,9000 --segment-sizes 0,1K)
  ok "$colltree" "${few[@]}" -o own.db
  COLLTREE_TEST_PAYLOAD=1 ok "$colltree" "${few[@]}" -o folded.db
  # Of SMPI's own reduce_scatter the small ones are wrong, which nobody sees without contents.
  for profile in own folded; do
    csv $profile.db
    grep -v ',default,' $profile.db.csv >$profile.cells
  done
  [ "$(wc -l <own.cells)" -gt 300 ] || die "only $(wc -l <own.cells) cells"
  cmp own.cells folded.cells || die "what messages carry changes their times"
  # 64 ranks that send 512 KiB to each other have 4 GiB in their buffers, here in 2 GiB of addresses.
  printf 'colltree-plan 2\nsource portable\nstop 1 1 0 0.95 0 0 0\nalltoall 64 524288 ring 0\nend\n' >plan
  (ulimit -v 2097152 && "$(dirname "$colltree")/colltree-simulate" "$platform" plan 1) >out 2>err
  grep -q '"event":"measured"' out || die "4 GiB of payload are not folded: $(cat out err)"
}

too_few_hosts() {
  fails 1 "colltree: $here/../../platforms/grig.xml: has 64 hosts, fewer than the 65 ranks asked for; use smaller communicator sizes" \
    "$colltree" measure --platform "$here/../../platforms/grig.xml" --communicator-sizes 2,65 --message-sizes 1 -o a.db
}

bad_input() {
  fails 1 "colltree: unknown collective 'bcats'; did you mean 'bcast'?" "$colltree" "${tiny[@]}" --collective bcats -o a.db
  fails 1 "colltree: unknown method 'binominal' of bcast; did you mean 'binomial'?" \
    "$colltree" measure --platform grig --grid tiny --collective bcast --methods binominal -o a.db
  fails 1 "colltree: unknown platform 'grog'; did you mean 'grig'?; known are dragonfly200, dragonfly400, fattree200, fattree400, frodo, grig, modern, nano, or give the path of a SimGrid platform file" \
    "$colltree" measure --platform grog --grid tiny -o a.db
  fails 2 "colltree: --grid: unknown grid 'tony'; did you mean 'tiny'?
Try 'colltree measure --help'." "$colltree" measure --platform grig --grid tony -o a.db
  fails 2 "colltree: the grid is empty: give --grid, or --communicator-sizes 2..8 and --message-sizes 1..1M:x2, or auto for each
Try 'colltree measure --help'." "$colltree" measure --launcher 'mpirun -np {ranks}' -o a.db
  fails 2 "colltree: --message-sizes: '1..x' is not a size or a range; write 8, 64K, 2..28, 4..64:4 or 1..1M:x2
Try 'colltree measure --help'." "$colltree" "${tiny[@]}" --message-sizes 1..x -o a.db
  fails 2 "colltree: name where to measure: --platform grig simulates, --launcher 'mpirun -np {ranks}' runs real jobs
Try 'colltree measure --help'." "$colltree" measure --grid tiny -o a.db
  fails 2 "colltree: --silence-limit: expected a number above 0, at most 1000000, got '0'
Try 'colltree measure --help'." "$colltree" "${tiny[@]}" --silence-limit 0 -o a.db
  fails 2 "colltree: unknown option '--platfrom'; did you mean '--platform'?
Try 'colltree measure --help'." "$colltree" measure --platfrom grig -o a.db
  [ -e a.db ] && { ls -la; die "bad input left a profile behind"; }
  "$colltree" "${tiny[@]}" -o /no/such/directory/a.db >out 2>err && die "an unwritable path must fail"
  [ "$(wc -l <err)" -eq 1 ] && grep -q '^colltree: /no/such/directory' err || die "$(cat err)"
  echo '<platform version="4.1"><zone id="x" routing="Full"><host id="a" spee="1"/></zone></platform>' >broken.xml
  "$colltree" measure --platform broken.xml --grid tiny -o b.db >out 2>err && die "a broken platform must fail"
  grep -v '^measuring' err | grep -q 'broken.xml' || die "the error does not name the platform: $(cat err)"
}

full_disk() {
  [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=200k tmpfs small 2>/dev/null || { echo "skipped: needs root"; return; }
  trap 'umount "$work/small"; rm -rf "$work"' EXIT
  "$colltree" measure --platform grig --collective bcast --communicator-sizes 2..10 --message-sizes 1..64K:x2 -o small/a.db >out 2>err
  [ $? -eq 1 ] || die "a full disk must end with exit code 1: $(cat err)"
  grep -v '^measuring' err | grep -qi 'full' || die "the error does not say that the disk is full: $(cat err)"
  cp small/a.db moved.db
  ok "$colltree" show moved.db
  ok "$colltree" measure --platform grig --collective bcast --communicator-sizes 2..10 --message-sizes 1..64K:x2 -o moved.db
}

systems_are_not_mixed() {
  ok "$colltree" "${tiny[@]}" --collective bcast -o a.db
  "$colltree" measure --platform frodo --grid tiny --collective bcast --system grig -o a.db >out 2>err && die "two platforms under one name"
  [ "$(grep -vc '^measuring' err)" -eq 1 ] && grep -q -- '--system' err || die "$(cat err)"
  ok "$colltree" measure --platform frodo --grid tiny --collective bcast -o a.db
  "$colltree" show a.db --map --collective bcast >out 2>err && die "two systems, and none was named"
  grep -q 'grig' err && grep -q 'frodo' err && grep -q -- '--system' err || die "$(cat err)"
  ok "$colltree" show a.db --map --collective bcast --system frodo
}

# real LAUNCHER...: a small real profile at 1 to 4 ranks, all results checked by the program itself.
real() {
  without_failures "$colltree" measure --launcher "$1" --collective bcast,reduce,alltoall --communicator-sizes 1..4 \
    --message-sizes 0,1,1000,20000 --segment-sizes 0,1K,8K --samples 6..12 --cell-budget 0.2 --system here -o real.db
  ok "$colltree" show real.db --json
  grep -q "\"mpi\": \"$2" out || die "the profile does not name the library: $(cat out)"
  grep -q measured out || die "the profile does not say that it was measured"
  ok "$colltree" fit quadtree real.db --collective bcast -o real.json
  ok "$colltree" emit c real.json -o real.c
  [ -s real.c ] || die "no C code"
}
real_openmpi() { real 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' openmpi; }
real_mpich() {
  real "$mpich_launcher" mpich
}

# without_failures COMMAND...: on a machine that is busy elsewhere a cell may miss every common start: up to twenty times more.
without_failures() {
  local i
  ok "$@"
  for i in {1..20}; do
    grep -q ', 0 failed' out || ok "$@" --retry failed
  done
  grep -q ', 0 failed' out || { "$colltree" show "${*: -1}" >&2; die "$(cat out)"; }
}
count() { sqlite3 -readonly own.db "SELECT count(*) FROM ($1)"; }
# own LIBRARY LAUNCHER METHOD REASON: the library's own algorithms of all 14 collectives, switched inside one job; METHOD
# does not apply on 3 ranks, and some cell says REASON.
own() {
  local campaign=(measure --source "$1" --launcher "$2" --collective all --communicator-sizes 2..4 --message-sizes 4,3000
    --segment-sizes 0,1K --parameters fanout=2,radix=8,requests=2 --samples 1..6 --cell-budget 0.004
    --foreign-load 0 --system own -o own.db)
  without_failures "$colltree" "${campaign[@]}"
  [ "$(count 'SELECT DISTINCT collective FROM cells WHERE status = "ok"')" -eq 14 ] || die "not all 14 collectives"
  # 13 collectives x 3 communicator sizes x 2 message sizes, and the barrier.
  [ "$(count 'SELECT * FROM cells WHERE status = "ok" AND algorithm = "default"')" -eq 81 ] || die "not every instance has its default"
  [ "$(count "SELECT * FROM cells WHERE status <> 'ok' AND algorithm = '$3' AND communicator_size = 3")" -gt 0 ] ||
    die "$3 on 3 ranks is not recorded as not applicable"
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = '$3' AND communicator_size = 3")" -eq 0 ] ||
    die "$3 was measured on 3 ranks"
  [ "$(count "SELECT * FROM cells WHERE status = 'cannot_run' AND reason LIKE '%$4%'")" -gt 0 ] || die "nobody says '$4'"
  # Every parameter of every method could be switched in the running job.
  [ "$(count "SELECT * FROM cells WHERE reason LIKE '%cannot be set%' OR reason LIKE '%did not change%' OR reason LIKE '%no control variable%'")" -eq 0 ] ||
    die "MPI_T does not reach all: $(sqlite3 own.db "SELECT DISTINCT algorithm, reason FROM cells")"
}
own_openmpi() {
  own openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' two_proc 'the library runs ring here'
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = 'knomial@radix=8'")" -gt 0 ] || die "no radix"
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = 'chain@fanout=2' AND segment_size = 1024")" -gt 0 ] ||
    die "no chains with segments"
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND collective = 'allgatherv' AND algorithm = 'bruck'")" -gt 0 ] ||
    die "allgatherv was not switched"
}
own_mpich() { own mpich "$mpich_launcher" smp 'several nodes'; }

all=allgather,allgatherv,allreduce,alltoall,alltoallv,barrier,bcast,exscan,gather,reduce,reduce_scatter,reduce_scatter_block,scan,scatter
# live TARGET FILE LAUNCHER: the library does what the file says, and every threshold shows itself; the count is printed.
live() {
  "$colltree" check "$2" --for "$1" --live --launcher "$3" >out 2>err
  echo "proof $1 obeyed: $(sed -n 's/^live, //; s/ compared; \(.*\), 0 thresholds not shown.*/; \1/; /thresholds/p' out)"
  grep -q ' 0 mismatches, 0 thresholds not shown, 0 not tried' out || die "$(cat out err)"
}
# found_out TARGET FILE LAUNCHER: a job that is not handed the file does not pass.
found_out() {
  printf '#!/bin/sh\nexec %s "$1" "$2" "$3"\n' "${3% {ranks\}}" >deaf
  chmod +x deaf
  "$colltree" check "$2" --for "$1" --live --mpi "${1%%-*}" --launcher './deaf {ranks}' >out 2>err &&
    die "a file that is not loaded passes"
  grep -q 'does not do what the file says\|; cannot check$' err || die "$(cat err)"
}
# side_by_side LIBRARY FILE LAUNCHER: the form of the answer, no times.
side_by_side() {
  ok "$colltree" verify --rules "$2" --launcher "$3" --collective bcast,barrier \
    --communicator-sizes 2,3 --message-sizes 4,3000 --rounds 3 --samples 5 --json
  grep -c '"gain"' out | grep -q '^7$' || die "not 6 instances and the total: $(cat out)"
}
# proven LIBRARY LAUNCHER: the profile's rules, as a tree of all 14 collectives chooses them, are what the library does.
proven() {
  local target
  target=$(rule_target "$build" "$1") || exit 1
  "own_$1"
  ok "$colltree" fit c45 own.db --collective $all --parameters weight=1,confidence=90 -o own.json
  ok "$colltree" emit "$target" own.json -o own.rules
  live "$target" own.rules "$2"
  found_out "$target" own.rules "$2"
  side_by_side "$1" own.rules "$2"
}
# both_sources LIBRARY LAUNCHER: ours and the library's own in one job, and what one gains over the other.
both_sources() {
  local jobs=0 campaign=(measure --source "portable,$1" --launcher "$PWD/counted {ranks}" --mpi "$1" --collective bcast,barrier
    --communicator-sizes 2,3 --message-sizes 4,3000 --segment-sizes 0 --parameters fanout=2,radix=2,requests=2 --samples 1..4 --cell-budget 0.004 --foreign-load 0 --system both -o both.db)
  printf '#!/bin/sh\necho >>started\nexec %s "$@"\n' "${2% {ranks\}}" >counted
  chmod +x counted
  ok "$colltree" "${campaign[@]}"
  jobs=$(wc -l <started)
  # The survey of the library and the one that measures.
  [ "$jobs" -le 3 ] || die "$jobs jobs for one campaign of both sources"
  for i in {1..20}; do grep -q 'both: .*, 0 failed' out && grep -q 'both-own: .*, 0 failed' out || ok "$colltree" "${campaign[@]}" --retry failed; done
  ok "$colltree" evaluate compare both.db --json --fit optimal:leaves=1
  grep -q '"portable": "both"' out && grep -q '"library": "both-own"' out || die "no table of both sources: $(cat out)"
  [ "$(grep -c '"left_out": 0' out)" -eq 2 ] || die "not all instances have both sources: $(cat out)"
  ok "$colltree" evaluate compare both.db --fit optimal:leaves=1
  grep -q "^portable methods (both) beside $1" out || die "$(cat out)"
}
both_openmpi() { both_sources openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}'; }
both_mpich() { both_sources mpich "$mpich_launcher"; }
# one_node LIBRARY LAUNCHER: a row in shared memory is tried without a word where all ranks are on one node, which one job says; not on
# two, nor does a job ask where hosts say that, or where no such row is wanted.
one_node() {
  local fake=$build/tests/runtime_programs/libfake_nodes_$1.so campaign=(measure --mpi "$1" --collective barrier --communicator-sizes 2
    --samples 1 --cell-budget 0.004 --foreign-load 0 --message-sizes 8)
  printf '#!/bin/sh\necho "$*" >>started\nranks=$1; shift\nexec %s $ranks sh -c '"'%s'"' - "$@"\n' "${2% {ranks\}}" \
    'LD_PRELOAD=$FAKE${FAKE:+:}$LD_PRELOAD exec "$@"' >job
  printf '#!/bin/sh\nshift 2\nexec ./job "$@"\n' >hosted
  printf 'a slots=1\nb slots=1\n' >hosts
  chmod +x job hosted
  on_nodes() { # FAKE JOBS CELLS LAUNCHER OPTION...: JOBS jobs ask for the nodes, CELLS cells are of the row, measured or not
    rm -f started own.db
    FAKE=$1 ok "$colltree" "${campaign[@]}" --launcher "$4" "${@:5}" -o own.db
    [ "$(grep -c -e --layout started)" -eq "$2" ] || die "$*: $(cat started)"
    [ "$(count "SELECT * FROM cells WHERE algorithm = 'shared_memory'")" -eq "$3" ] || die "$*: $(sqlite3 own.db .dump)"
  }
  on_nodes "" 1 1 './job {ranks}'
  on_nodes "$fake" 1 0 './job {ranks}'
  on_nodes "" 0 0 './job {ranks}' --methods dissemination,default
  on_nodes "" 0 0 './hosted --hostfile hosts {ranks}'
  # A rank alone copies out of its own memory.
  ok "$colltree" measure --mpi "$1" --launcher "$2" --collective bcast --communicator-sizes 1 --message-sizes 20K --methods shared_memory_direct \
    --samples 1 --cell-budget 0.1 --foreign-load 0 -o alone.db
  grep -q '1 cells measured, 0 there before, 0 failed' out || die "one rank: $(cat out)"
}
one_node_openmpi() { one_node openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}'; }
one_node_mpich() { one_node mpich "$mpich_launcher"; }
proven_openmpi() {
  local launcher='mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}'
  proven openmpi "$launcher"
  # Rules with many thresholds, unsafe ones among them: `check` does not pass them, what runs is what they say.
  live "$(rule_target "$build" openmpi)" "$here/many.rules" "$launcher"
  grep -q '32 thresholds of message size and 7 of communicator size' out || die "$(cat out)"
}
# MPICH's rules stand behind guards: the many thresholds come from made-up times of the methods that run.
proven_mpich() {
  local launcher="$mpich_launcher"
  proven mpich "$launcher"
  csv own.db
  awk -F, -v OFS=, -f "$here/made_up_times.awk" own.db.csv >many.csv
  ok "$colltree" import many.csv -o many.db
  ok "$colltree" fit quadtree many.db --collective $all --without-default -o many.json
  ok "$colltree" emit "$(rule_target "$build" mpich)" many.json -o many.rules
  live "$(rule_target "$build" mpich)" many.rules "$launcher"
  local counts='84 thresholds of message size and 21 of communicator size'
  [ "$(rule_target "$build" mpich)" = mpich-4.0 ] || counts='[4-9][0-9] thresholds of message size and [12][0-9] of communicator size'
  grep -q "$counts" out || die "$(cat out)"
}
# Intel MPI has two forms of rules. One collective; COLLTREE_PROVE_ALL=1: all.
proven_intel() {
  local launcher='mpirun.intel -np {ranks}' some=bcast target
  [ -z "${COLLTREE_PROVE_ALL-}" ] || some=$(sed 's/exscan,//; s/scan,//' <<<$all),gatherv,scatterv
  source "$here/../bands.sh"
  # The best on 3 ranks are others than on 2 and 4: only a tuning file can say that.
  times() { bands "2 4" "$@" && bands 3 "$1" "${@:3}" "$2"; }
  {
    echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
    times bcast binomial preset_8 scatter_allgather_ring
    times reduce binomial rabenseifner preset_1
    times allreduce recursive_doubling rabenseifner ring
    for collective in allgather allgatherv; do times $collective bruck recursive_doubling ring; done
    times alltoall bruck linear pairwise
    for collective in alltoallv gatherv scatterv; do times $collective linear; done
    for collective in gather scatter; do times $collective binomial preset_3; done
    times reduce_scatter recursive_halving pairwise recursive_doubling
    times reduce_scatter_block recursive_halving recursive_doubling
    times barrier dissemination
  } >times.csv
  ok "$colltree" import times.csv -o p.db
  ok "$colltree" fit quadtree p.db --collective "$some" -o m.json
  for target in intel intel-tuning; do
    ok "$colltree" emit $target m.json --on p.db -o own.rules
    prove() { "$here/../live/prove.py" "$colltree" "$build/tests/entered_intel" own.rules "$launcher" "$@" >out 2>err; }
    prove || die "the library differs: $(cat out err)"
    [ -n "${COLLTREE_PROVE_ALL-}" ] || grep -q ' 0 thresholds not shown' out || die "$(cat out)"
    echo "proof $target obeyed: intel-$("$build/colltree-measure-intel" --library | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p'): $(tail -n 1 out)"
    echo >none.rules
    prove none.rules && die "a file that is not loaded passes"
    # The library is handed rules whose sizes are ten times as large.
    sed 's/:0-\([0-9]*\)/:0-\10/g; s/"msg_size=\([0-9]*\)"/"msg_size=\10"/g' own.rules >unit.rules
    prove unit.rules && die "sizes that count otherwise pass"
    grep -q 'bytes: the file says .*, the library enters MPI' out || die "$(cat out err)"
  done
  side_by_side intel own.rules "$launcher"
}

# asked LAUNCHER WHAT RAN WHY...: what `explain --live` says of bcast of 64 KB on 3 ranks; more arguments go to it.
asked() {
  local launcher=$1 ran=$2 why=$3
  shift 3
  ok "$colltree" explain bcast 3 64K --live --launcher "$launcher" "$@"
  [ "$(sed -n 's/^  //p' out | head -2)" = "$ran
why: $why" ] || die "want: $ran
why: $why
got: $(cat out)"
}
# above_the_file TARGET FILE LAUNCHER TEXT: the live check fails and names what stands above the file.
above_the_file() {
  "$colltree" check "$2" --for "$1" --live --launcher "$3" --communicator-sizes 2,3 >out 2>err && die "a file that is overridden passes"
  grep -q "^above the file: $4" out && grep -q " does not do what the file says in [0-9]* of [0-9]* calls; $4" err || die "$(cat out err)"
}
explained_openmpi() {
  local launcher='mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' target forced own line
  target=$(rule_target "$build" openmpi) || exit 1
  # On 2 ranks the library's own choice, from 3 on binomial.
  { [ "$target" = openmpi-4.1 ] || echo rule-file-version-2; printf '1\n7\n2\n2\n1\n0 0 0 0\n3\n1\n0 6 0 0\n'; } >bcast.rules
  forced='coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment'
  ok "$colltree" explain bcast 3 64K --live --launcher "$launcher"
  own=$(sed -n 's#^  coll/tuned runs ##p' out)
  asked "$launcher" "coll/tuned runs ${own:?}" "the library's own decision"
  line=$(grep -n '^0 6' bcast.rules | cut -d: -f1)
  asked "$launcher" 'coll/tuned runs binomial' "the rule bcast.rules:$line: Binomial_0K; without rules $own would run" --rules bcast.rules
  live "$target" bcast.rules "$launcher"
  # Forced without the switch: nothing, and that is said. With it: the reason.
  export OMPI_MCA_coll_tuned_bcast_algorithm=3
  asked "$launcher" "coll/tuned runs $own" "the library's own decision"
  grep -qF "also: $forced; without effect, because coll_tuned_use_dynamic_rules is not set" out || die "$(cat out)"
  OMPI_MCA_coll_tuned_use_dynamic_rules=1 asked "$launcher" 'coll/tuned runs pipeline' "$forced; without it $own would run"
  above_the_file "$target" bcast.rules "$launcher" 'coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment'
  unset OMPI_MCA_coll_tuned_bcast_algorithm
  # What is asked for in vain is named: a value that the library refuses, a name that nobody reads, also in a parameter file.
  mkdir -p home/.openmpi
  printf 'coll_tuned_use_dynamic_rules = 1\nuse_dynamic_rules = 1\n' >home/.openmpi/mca-params.conf
  HOME=$PWD/home OMPI_MCA_coll_tuned_bcast_algorithm=99 asked "$launcher" "coll/tuned runs $own" "the library's own decision"
  grep -q '^  also: coll_tuned_bcast_algorithm = 99, set by the environment, is refused: it takes 0 ignore, 1 basic_linear' out &&
    grep -qF "also: OMPI_MCA_use_dynamic_rules = 1, set by the file $PWD/home/.openmpi/mca-params.conf, is read by nobody; the library reads OMPI_MCA_coll_tuned_use_dynamic_rules" out ||
    die "$(cat out)"
  # Where the job dies, with the setting that ends it; not with the switch beside it, nor with what is innocent.
  OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allgather_algorithm=6 OMPI_MCA_coll_tuned_bcast_algorithm=3 \
    ok "$colltree" explain bcast 3 64K --live --launcher "$launcher"
  grep -q '^  the witness job ended with ' out &&
    grep -qF 'why: coll_tuned_allgather_algorithm = 6 (two_proc), set by the environment, and two_proc needs two ranks; without it pipeline would run' out ||
    die "$(cat out)"
  # A site's file puts a component above coll/tuned: rules reach nothing.
  echo 'coll_basic_priority = 60' >site.conf
  local above="coll/basic carries out bcast: its priority 60 (coll_basic_priority, set by the file $PWD/site.conf) is above coll/tuned's 30"
  export OMPI_MCA_mca_base_param_files=$PWD/site.conf
  asked "$launcher" 'coll/basic runs basic_linear' "$above (coll_tuned_priority, by default)" --rules bcast.rules
  grep -q 'also: not decided by the rule bcast.rules:' out || die "$(cat out)"
  above_the_file "$target" bcast.rules "$launcher" "$above"
}
explained_mpich() {
  local launcher="$mpich_launcher" target line
  target=$(rule_target "$build" mpich) || exit 1
  cat >bcast.csv <<'END'
system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
s,mpich,bcast,3,1,3,1024,scatter_ring_allgather,,0,1
s,mpich,bcast,3,1,3,1024,binomial,,0,2
END
  ok "$colltree" import bcast.csv -o s.db
  ok "$colltree" fit c45 s.db --collective bcast -o bcast.json
  ok "$colltree" emit "$target" bcast.json -o bcast.rules
  asked "$launcher" 'mpich runs binomial' "the library's own decision"
  # Behind MPICH's own choice on the communicators that it makes, which 5.0 does not tell from others.
  line=$(awk -v blind="$([ "$target" != mpich-5.0 ] || echo 1)" 'blind || /"comm_hierarchy=any"/ { users = 1 } users && /"algorithm=MPIR_Bcast_intra_scatter_ring_allgather"/ { print NR; exit }' bcast.rules)
  asked "$launcher" 'mpich runs scatter_ring_allgather' "the rule bcast.rules:$line: ScatterRingAllgather_0K" --rules bcast.rules
  live "$target" bcast.rules "$launcher"
  export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial
  asked "$launcher" 'mpich runs binomial' \
    'MPIR_CVAR_BCAST_INTRA_ALGORITHM = binomial, set by the environment; without it scatter_ring_allgather would run' --rules bcast.rules
  above_the_file "$target" bcast.rules "$launcher" 'MPIR_CVAR_BCAST_INTRA_ALGORITHM = binomial, set by the environment'
  # A missing file of rules ends the job in MPI_Init, in some versions with a segmentation fault; a misspelt name does nothing.
  MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=/no/such MPIR_CVAR_BCAST_ALGORITHM=x ok "$colltree" explain bcast 3 64K --live --launcher "$launcher"
  grep -q '^  the witness job ended with ' out &&
    grep -qF 'why: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE = /no/such, set by the environment, whose file is wrong: /no/such: cannot open: No such file or directory; without it binomial would run' out ||
    die "$(cat out)"
  # A value that the library refuses, in its own words.
  MPIR_CVAR_BCAST_INTRA_ALGORITHM=nosuch ok "$colltree" explain bcast 3 64K --live --launcher "$launcher"
  grep -q '^  the witness job ended with .*Invalid MPIR_CVAR_BCAST_INTRA_ALGORITHM value (nosuch)")$' out &&
    grep -q 'why: MPIR_CVAR_BCAST_INTRA_ALGORITHM = nosuch, set by the environment; without it ' out || die "$(cat out)"
  MPIR_CVAR_BCAST_ALGORITHM=x ok "$colltree" explain bcast 3 64K --live --launcher "$launcher"
  grep -qF 'also: MPIR_CVAR_BCAST_ALGORITHM = x, set by the environment, is read by nobody; the library reads MPIR_CVAR_BCAST_INTRA_ALGORITHM' out || die "$(cat out)"
}

# sent NAME [SETTING...]: the messages of all calls.
sent() {
  ok env "${@:2}" timeout 200 mpirun.mpich -launcher fork -np 9 "$build/tests/sent_messages" "$1" 8 8192 24576 262144
  cat "$1".[0-8] >"$1"
}
# sent_under NAME: the same under the rules of NAME.json, loaded as `emit` says.
sent_under() {
  ok "$colltree" emit "$target" "$1.json" -o "$1.rules"
  mapfile -t settings < <(sed -n 's/^to load it: //p' out | tr ' ' '\n')
  [ ${#settings[@]} -ge 2 ] || die "no settings to load $1.rules: $(cat out)"
  sent "$1" "${settings[@]}"
}

# What a model leaves to MPICH runs as without a file: of a model of one leaf everything, else the calls that it leaves.
own_choice_mpich() {
  local target one bytes settings chosen=bcast,reduce,allgather,alltoall
  target=$(rule_target "$build" mpich) || exit 1
  sent plain
  [ "$(wc -l <plain)" -eq $((22 * 14 * 4)) ] || die "$(wc -l <plain) calls"
  for one in allgather,ring bcast,scatter_ring_allgather reduce,binomial alltoall,pairwise; do
    for bytes in 8 8192 24576 262144; do
      echo "s,mpich,${one%,*},3,1,3,$bytes,default,,0,2"
      echo "s,mpich,${one%,*},3,1,3,$bytes,${one#*,},,0,$((bytes == 24576 ? 1 : 3))"
    done
  done | sed '1i system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us' >mixed.csv
  sed 's/,1$/,9/' mixed.csv >none.csv
  for one in mixed none; do
    ok "$colltree" import $one.csv -o $one.db
    ok "$colltree" fit quadtree $one.db --collective $chosen -o $one.json
  done
  sent_under none
  cmp plain none || die "a file that leaves every call to MPICH changes some: $(diff plain none | head)"
  sent_under mixed
  diff <(grep -v ' 24576:' plain) <(grep -v ' 24576:' mixed) || die "calls that the model leaves to MPICH run otherwise"
  for one in bcast reduce allgather alltoall; do
    ! diff -q <(grep "^$one .* 24576:" plain) <(grep "^$one .* 24576:" mixed) >changed || die "the rules change nothing of $one"
  done
}

# A site's selection file gets our rules for one collective: all else is as before, in the text and in the library.
merged_mpich() {
  local launcher="$mpich_launcher" target
  target=$(rule_target "$build" mpich) || exit 1
  cat >times.csv <<'END'
system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
s,mpich,bcast,3,1,3,64,binomial,,0,1
s,mpich,bcast,3,1,3,64,scatter_ring_allgather,,0,2
s,mpich,bcast,3,1,3,4096,binomial,,0,2
s,mpich,bcast,3,1,3,4096,scatter_ring_allgather,,0,1
s,mpich,allgather,3,1,3,64,ring,,0,1
s,mpich,allgather,3,1,3,64,brucks,,0,2
s,mpich,allgather,3,1,3,4096,ring,,0,2
s,mpich,allgather,3,1,3,4096,brucks,,0,1
END
  ok "$colltree" import times.csv -o s.db
  local one
  for one in bcast allgather; do
    ok "$colltree" fit quadtree s.db --collective $one -o $one.json
  done
  ok "$colltree" emit "$target" allgather.json -o ours.rules
  # As a site would have it: in other lines, with blanks in its keys.
  python3 -c 'import json, sys
d = json.load(open("ours.rules"))
json.dump({k.replace("=", " = "): v for k, v in d.items()}, open("site.rules", "w"), indent=3)'
  ok "$colltree" emit "$target" bcast.json --into site.rules -o merged.rules
  diff site.rules merged.rules >changed
  grep -q MPIR_Bcast_ changed && ! grep -v Bcast changed | grep -q 'algorithm=' || die "more than bcast has changed: $(cat changed)"
  live "$target" merged.rules "$launcher"
  ok "$colltree" explain allgather 3 4K --live --launcher "$launcher" --rules merged.rules
  grep -q 'mpich runs brucks' out && grep -q 'why: the rule merged.rules:' out || die "$(cat out)"
  ok "$colltree" explain allgather 3 64 --live --launcher "$launcher" --rules merged.rules
  grep -q 'mpich runs ring' out || die "$(cat out)"
  ok "$colltree" explain bcast 3 4K --live --launcher "$launcher" --rules merged.rules
  grep -q 'mpich runs scatter_ring_allgather' out && grep -q 'why: the rule merged.rules:' out || die "$(cat out)"
  # Again changes nothing.
  ok "$colltree" emit "$target" bcast.json --into merged.rules -o again.rules
  cmp merged.rules again.rules || die "a second time is not the same"
  echo '{"collective=bcast": 1' >broken.rules
  fails 1 "colltree: broken.rules:2: not fit for $target: expected ',' or '}', got the end of the file" \
    "$colltree" emit "$target" bcast.json --into broken.rules -o no.rules
  [ ! -e no.rules ] || die "a file was written"
}

# Two ranks on one core: the times decide nothing, and nothing is deployed. Busy loops on half of the cores are seen: the cells are
# repeated, marked, listed, and measured again when asked.
load_guard() {
  local core tune=(tune --launcher 'mpirun.openmpi --oversubscribe --bind-to none --mca btl vader,self -np {ranks}' --collective bcast
    --communicator-sizes 2 --message-sizes 8 --methods linear,default --samples 1..6 --cell-budget 0.05 --caution 0 --sessions 0)
  core=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
  ok taskset -c "$core" "$colltree" "${tune[@]}" -o shared
  [[ $(head -n 1 out) == 'Nothing is deployed: 2 of 2 cells were measured while others used the machine or ranks'* ]] || die "$(cat out)"
  ok "$colltree" show shared/profile.db
  [ "$(grep -c ' on 2 ranks, 8B: .*2 ranks shared 1 cores of a node$' out)" -eq 2 ] || die "$(cat out)"
  chosen bcast 2 8 --model shared/tuned.cdt
  [ "$(<out)" = default ] || die "deployed: $(<out)"
  local loops=() i
  for i in $(seq $((($(nproc) + 1) / 2))); do
    while :; do :; done &
    loops+=($!)
  done
  trap 'kill '"${loops[*]}"'; rm -rf "$work"' EXIT
  local campaign=(measure --launcher 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' --collective bcast
    --communicator-sizes 2 --message-sizes 8 --methods linear,binomial --samples 10..40 --cell-budget 0.2 --system here -o own.db)
  without_failures "$colltree" "${campaign[@]}"
  grep -q ' of them while others used the machine or ranks shared cores (--retry disturbed measures these again)$' out || die "$(cat out)"
  [ "$(count "SELECT * FROM cells WHERE reason LIKE 'others used % of the cores'")" -eq 2 ] || die "not both are marked: $(sqlite3 own.db .dump)"
  ok "$colltree" show own.db
  grep -A1 'measured while others used the machine or ranks shared cores:' out | grep -q 'bcast .* on 2 ranks, 8B: others used [0-9]* % of the cores' || die "$(cat out)"
  ok "$colltree" "${campaign[@]}"
  grep -q ': 0 cells measured, 2 there before' out || die "$(cat out)"
  ok "$colltree" "${campaign[@]}" --retry disturbed
  grep -q ' 0 there before' out || die "not measured again: $(cat out)"
  # Without the guard it is another campaign, and nobody looks.
  without_failures "$colltree" "${campaign[@]}" --foreign-load 0
  ! grep -q 'while others' out || die "$(cat out)"
}

# The numbers that we read from the descriptions of MPICH's variables are those that MPICH itself makes of the names.
numbers_mpich() {
  "$build/colltree-measure-mpich" --methods | awk '{
    nonblocking = sub(/^nb_/, "", $3)
    print "MPIR_CVAR_" (nonblocking ? "I" : "") toupper($1) "_INTRA_ALGORITHM", $2, $3 }' | sort >named
  local number
  for number in $(cut -d' ' -f2 named | sort -nu); do
    awk -v number="$number" '$2 == number { print $1 "=" $3 }' named >settings
    xargs -a settings sh -c 'cut -d= -f1 settings | xargs env "$@" "$0"' "$build/tests/variable_values" | grep '^MPIR_' || die "no values"
  done | sort >read
  cut -d' ' -f1,2 named | cmp - read || die "other numbers: $(diff named read)"
  [ "$(wc -l <named)" -ge 117 ] || die "the library names only $(wc -l <named) algorithms"
}

# A version whose rules nobody knows is refused before anything is measured, and one that does not tell its numbers.
unknown_version_mpich() {
  mkdir bin
  cp "$colltree" bin/colltree
  printf '#!/bin/sh\n[ "$1" = --library ] && echo "MPICH Version:      3.4.3" || cat named\n' >bin/colltree-measure-mpich
  chmod +x bin/colltree-measure-mpich
  local tune=(bin/colltree tune --source mpich --mpi mpich --launcher 'touch started; echo {ranks}' --communicator-sizes 2
    --message-sizes 1 -o t)
  echo 'bcast 1 binomial' >named
  fails 1 "colltree: mpich-3.4.3: no format of rules is known for it (Open MPI from 4.1, MPICH from 4.0, Intel MPI)" "${tune[@]}"
  : >named
  fails 1 "colltree: mpich-3.4.3 does not report the numbers of its algorithms; measure without --source" "${tune[@]}"
  [ ! -e t ] && [ ! -e started ] || die "something was done: $(ls)"
}

# unknown LIBRARY LAUNCHER [SETTING]: what is not in our table runs by the library's own name; what the library has not does not.
unknown() {
  { echo 'colltree-plan 2'; echo "source $1"; echo 'stop 1 1 0 0.95 20 0 0'; echo 'bcast 2 1000 unknown_binomial -'
    echo 'bcast 2 1000 unknown_magic -'; echo end; } >plan
  # Its one repetition may miss the common start where others use the cores.
  for _ in {1..30}; do ok $2 "$build/colltree-measure-$1" plan ${3-}; grep -q 'the machine is overloaded' out || break; done
  grep -q '"event":"measured","cell":"bcast 2 1000 unknown_binomial -"' out || die "not measured: $(cat out)"
  grep -q '"cell":"bcast 2 1000 unknown_magic -","reason":"the installed version has no such algorithm","cannot_run":true' out || die "$(cat out)"
  cat >times.csv <<'END'
system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
s,x,bcast,2,1,2,1000,unknown_magic,,0,1
s,x,bcast,2,1,2,1000,binomial,,0,2
END
  ok "$colltree" import times.csv -o s.db
  ok "$colltree" fit c45 s.db --collective bcast -o s.json
  ok "$colltree" emit "$(rule_target "$build" "$1")" s.json --on s.db -o s.rules
  grep -q "bcast 'unknown_magic': what it needs and breaks is not known" err || die "not said: $(cat err)"
  grep -q unknown s.rules && die "it was emitted: $(cat s.rules)"
  return 0
}
unknown_openmpi() {
  unknown openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np 2' OMPI_MCA_coll_tuned_use_dynamic_rules=1
}
unknown_mpich() { unknown mpich 'mpirun.mpich -launcher fork -np 2'; }

# A method that this version has not is refused by name, before a folder is made; all that it has is measured.
missing_mpich() {
  local gone=k_dissemination has=dissemination
  [ "$(rule_target "$build" mpich)" = mpich-4.0 ] || { gone=dissemination; has=k_dissemination; }
  local barrier=(--source mpich --launcher "$mpich_launcher" --collective barrier --communicator-sizes 2
    --message-sizes 1 --samples 1..2 --cell-budget 0.004 --foreign-load 0)
  "$colltree" tune "${barrier[@]}" --methods $gone -o t >out 2>err && die "$gone was measured"
  grep -q "^colltree: mpich-[0-9.]* has no barrier algorithm '$gone'; colltree measure methods --source mpich says since when$" err || die "$(cat err)"
  [ ! -e t ] || die "a folder was left"
  without_failures "$colltree" measure "${barrier[@]}" -o own.db
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = '$has'")" -eq 1 ] || die "no $has"
  [ "$(count "SELECT * FROM cells WHERE algorithm = '$gone'")" -eq 0 ] || die "$gone was measured"
}

# What MPICH's nb can run is switched by MPI_T too; a tree's type is read when a job starts: a job of its own.
nonblocking_mpich() {
  printf '#!/bin/sh\necho "$*" >>"%s/launched"\nexec mpirun.mpich -launcher fork "$@"\n' "$work" >noted
  chmod +x noted
  local campaign=(measure --source mpich --mpi mpich --launcher './noted -np {ranks}' --collective bcast,reduce,alltoall,barrier
    --parameters nonblocking,radix=3,requests=2 --communicator-sizes 3..4 --message-sizes 3000 --segment-sizes 0,1K
    --samples 1..3 --cell-budget 0.004 --foreign-load 0 -o own.db)
  without_failures "$colltree" "${campaign[@]}"
  sed -n 's/.*\(MPIR_CVAR_.*\)/\1/p' launched | sort -u >settings
  printf 'MPIR_CVAR_%s\n' IBCAST_TREE_TYPE=knomial_1 IBCAST_TREE_TYPE=knomial_2 IREDUCE_TREE_TYPE=knomial_1 IREDUCE_TREE_TYPE=knomial_2 |
    cmp - settings || die "other jobs than one for each type of tree: $(cat launched)"
  local method
  for method in 'nb_tsp_tree@radix=3' 'nb_tsp_tree_knomial_1@radix=3' nb_tsp_ring; do
    [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND collective = 'bcast' AND algorithm = '$method' AND segment_size = 1024")" -eq 2 ] ||
      die "no $method with segments"
  done
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = 'nb_tsp_scattered@requests=2'")" -eq 2 ] || die "no requests"
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = 'default'")" -eq 8 ] || die "not every instance has its default"
}

# tuned LIBRARY LAUNCHER: what `tune` prints as the next commands works as it stands.
tuned() {
  local target
  target=$(rule_target "$build" "$1") || exit 1
  ok "$colltree" tune --source "$1" --launcher "$2" --collective bcast,barrier --communicator-sizes 2..3 --message-sizes 4,3000 \
    --samples 1..6 --cell-budget 0.01 --foreign-load 0 --sessions 0 --caution 0 --details -o t
  [ -s "t/rules.$target" ] || die "no rules: $(ls t)"
  [ "$(grep -c '^  .*  export [A-Za-z_]*=' out)" -eq 2 ] || die "does not say how to load the rules: $(cat out)"
  sed -n 's/^  colltree //p' out >next
  [ "$(wc -l <next)" -eq 2 ] || die "no next commands: $(cat out)"
  sed "s#^#'$colltree' #; 2s/\$/ --rounds 2 --samples 3/" next >next.sh
  ok bash -e next.sh
  grep -q ' 0 mismatches' out || die "not proven: $(cat out)"
  # bcast and barrier on 2 and 3 ranks: the file's collectives at the sizes of verify's own.
  grep -q '^bcast .* 3 .* 65536 ' out && grep -q '^barrier .* 3 ' out && grep -q '^in total' out || die "not compared: $(cat out)"
  # A file that the library does not read is refused before a job runs: Open MPI would say nothing, MPICH crash.
  echo '{' >broken
  "$colltree" verify --rules broken --launcher "$2" --communicator-sizes 2 >out 2>err && die "a broken file was measured"
  grep -qE "^colltree: broken:[12]: not fit for $target: (expected |JSON, )" err || die "$(cat err)"
}
tuned_openmpi() { tuned openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}'; }
tuned_mpich() { tuned mpich "$mpich_launcher"; }
# Intel MPI reads its variables when a job starts: a job for each preset, named as the library's own range of numbers has them.
tuned_intel() {
  local few=(--samples 1..3 --cell-budget 0.004 --foreign-load 0 --mpi intel --launcher './noted -np {ranks}')
  printf '#!/bin/sh\necho "$*" >>"%s/launched"\nexec mpirun.intel "$@"\n' "$work" >noted
  chmod +x noted
  without_failures "$colltree" measure --source intel --collective barrier,scatterv --communicator-sizes 2,3 --message-sizes 4 "${few[@]}" -o own.db
  [ "$(count "SELECT * FROM cells WHERE status = 'ok' AND algorithm = 'default'")" -eq 4 ] || die "not every instance has its default"
  [ "$(count "SELECT * FROM cells WHERE status = 'ok'")" -eq $((2 * (12 + 5))) ] || die "not all presets: $(sqlite3 own.db 'SELECT * FROM cells')"
  grep -c . launched | grep -qx "$((1 + 11 + 4))" || die "other jobs than one for each preset: $(cat launched)"
  rm launched
  # Without the library's own choice all is ruled.
  ok "$colltree" tune --source intel --collective bcast,reduce --methods binomial,preset_10 --communicator-sizes 2,3 --message-sizes 4,3000 \
    --sessions 0 --details "${few[@]}" -o t
  sed -n 's/.*\(I_MPI_ADJUST.*\)/\1/p' launched | sort -u >settings
  printf 'I_MPI_ADJUST_%s\n' BCAST=1 BCAST=10 REDUCE=10 REDUCE=2 | cmp - settings || die "$(cat launched)"
  grep -qx "  load  export I_MPI_TUNING=$PWD/t/rules.intel-tuning" out || die "does not say how to load the rules: $(cat out)"
  sed -n 's/^  colltree //p' out >next
  grep -qx 'verify --rules t/rules.intel-tuning .*' next || die "no next command: $(cat out)"
  sed "s#^#'$colltree' #; /' verify /s/\$/ --rounds 2 --samples 3/" next >next.sh
  ok bash -e next.sh
  grep -q '^reduce .* 3 .* 65536 ' out && grep -q '^in total' out || die "not compared: $(cat out)"
  I_MPI_ADJUST_BCAST=1 "$colltree" measure --source intel --collective bcast --communicator-sizes 2 --message-sizes 4 "${few[@]}" -o no.db >out 2>err &&
    die "measured under a site's rules"
  grep -qx 'colltree: I_MPI_ADJUST_BCAST is set: the library would follow the rules of 1 while it is measured; unset it' err || die "$(cat err)"
}

# given LAUNCHER SETTINGS TIMES: from now on `job` starts real jobs with the settings, whose times are those of the lines TIMES
# (given_times.py).
given() {
  echo "$3" >times
  printf '#!/bin/bash\nset -o pipefail\nexport %s\nranks=$1\nshift\n%s "$@" | %s %s\n' "$2" "$(sed 's/{ranks}/"$ranks"/' <<<"$1")" \
    "$here/given_times.py" "$work/times" >job
  chmod +x job
}
# calmly COMMAND...: where others use the machine a cell or a job may fail; it is tried again.
calmly() {
  local try
  for try in {1..20}; do "$@" --retry failed >out 2>err && ! grep -q ' [1-9][0-9]* failed' out && return; done
  die "$* ($try times): $(cat out err)"
}
# settings LIBRARY LAUNCHER VARIABLE SLOW FAST BAD MESSAGE MISSPELT: real jobs, in which the times are those of the value of VARIABLE: a setting is
# the fastest, one does not start, and the job as it is uses the slow one.
count_of() { sqlite3 -readonly "$1" "SELECT count(*) FROM cells WHERE $2"; }
settings() {
  local target job='#!/bin/bash\nset -o pipefail\necho "${%s-none} $*" >>launched\nranks=$1\nshift\n%s "$@" | %s "%s/times-${%s-none}"\n'
  printf "$job" "$3" "$(sed 's/{ranks}/"$ranks"/' <<<"$2")" "$here/given_times.py" "$work" "$3" >job
  chmod +x job
  echo '. 100' >times-none
  echo ' default 50
. 20' >"times-$5"
  echo ' 4 .*default 90
. 300' >"times-$4"
  local tune=(tune --launcher './job {ranks}' --source "$1" --collective bcast --communicator-sizes 2 --message-sizes 4,3000,200K --methods binomial,default
    --samples 1..3 --cell-budget 0.05 --caution 0 --foreign-load 0 --setting "slow: $3=$4" --setting "fast: $3=$5" --setting "bad: $6" -o t)
  local try
  for try in {1..5}; do  # as calmly does
    "$colltree" "${tune[@]}" --details --sessions 0 --retry failed >out 2>err || die "$(cat out err)"
    [ "$(count_of t/profile.db "status = 'failed'")" -eq 3 ] && break
  done
  grep -q '^  plain  *400 .* -$' out || die "$(cat out)"
  grep -q '^  slow  *1050  .* at 2, most 3 times the time: bcast on 2 ranks, 3000B$' out || die "$(cat out)"
  grep -q '^  fast  *0 *5.000  *4.9[0-9]* to 5.0[0-9]* *nowhere$' out || die "$(cat out)"
  grep -q "^  bad  *not measured: the job ended with .*$7" out || die "$(cat out)"
  # The verdict says it within its 12 lines.
  [ "$(wc -l <t/verdict.txt)" -le 12 ] || die "$(cat t/verdict.txt)"
  tr -s '\n ' ' ' <t/verdict.txt >said
  grep -q " set The network in use is not the fastest that this machine has: fast: 5 times as fast (4.9[0-9]* to 5.0[0-9]*), not verified in turns; load t/setting.sh " said ||
    die "$(cat t/verdict.txt)"
  grep -qx "export $3=$5" t/setting.sh && grep -qx "setenv $3 \"$5\"" t/setting.tcl || die "$(cat t/setting.*)"
  # The settings take turns, the methods of all are in one system, and what is fitted and verified is of the one that was chosen.
  chosen bcast 2 4 --model t/bcast.json
  [ "$(tr A-Z a-z <out)" != default ] || die "the faster method is not taken: $(cat out)"
  ok "$colltree" fit c45 t/profile.db --setting slow -o slow.json
  rm launched
  ok "$colltree" "${tune[@]}" --json
  grep -q '"chosen": "fast"' out || die "$(cat out)"
  grep -q "^export $3=$5" t/setting.sh || die "not deployed when it was verified: $(cat out)"
  [ "$(grep verification launched | cut -d' ' -f1 | sort -u)" = "$5" ] || die "not verified under it: $(cat launched)"
  # The settings can be compared by the library's own choice alone.
  local own=("${tune[@]:0:${#tune[@]}-1}" own)
  ok "$colltree" "${own[@]/binomial,default/default}" --sessions 0 --json --retry failed
  grep -q '"chosen": "fast"' out && grep -qx "export $3=$5" own/setting.sh || die "$(cat out)"
  # The doctor finds the faster network, too, and a setting that does not start.
  target=$(rule_target "$build" "$1") || exit 1
  ok "$colltree" verify doctor --rules "t/rules.$target" --launcher './job {ranks}' --mpi "$1" --setting "fast: $3=$5" --setting "bad: $6"
  grep -q 'The network in use is not the fastest that this machine has: fast; setting fast: 2.000 times as fast as the job as it is (95 %: 2.000 to 2.000)$' out || die "$(cat out)"
  grep -q '^setting bad: the job ended early: ' out || die "$(cat out)"
  # It sees whether the job loads the setting that is deployed, and a name that nobody reads.
  local missing="changed: $3=$5 of the deployed setting is not loaded in this job: see $PWD/t/setting.sh"
  grep -qxF "$missing" out || die "$(cat out)"
  ok env "$3=$5" "$colltree" verify doctor --rules "t/rules.$target" --launcher './job {ranks}' --mpi "$1" --setting "odd: $8"
  ! grep -qF "$missing" out || die "$(cat out)"
  grep -q "^setting odd: ${8%%=*} is read by nobody; the library reads ${8%%_x=*}$" err || die "$(cat err)"
  fails 1 "colltree: t/profile.db: system $(hostname -s)-$1-own holds timings of setting slow with $3=$4; give this one another name" \
    "$colltree" "${tune[@]/slow: */slow: $3=$5}"
  fails 1 "colltree: t/profile.db: has no timings of bcast on $(hostname -s)-$1-own under setting bad" \
    "$colltree" fit c45 t/profile.db --collective bcast --setting bad -o bad.json
}
settings_openmpi() {
  # Its launcher loses the message that names the component, now and then.
  settings openmpi 'mpirun.openmpi --oversubscribe -np {ranks}' OMPI_MCA_btl tcp,self vader,self OMPI_MCA_pml=nosuch \
    '\(Component: nosuch\|MPI_INIT failed\)' OMPI_MCA_coll_sm_priority_x=1
}
settings_mpich() {
  settings mpich "$mpich_launcher" UCX_TLS tcp all MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM=nosuch 'Invalid MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM' \
    MPIR_CVAR_BARRIER_INTRA_ALGORITHM_x=1
}
# verified LIBRARY LAUNCHER SETTING CHANGE METHOD: what wins only because the library's choice was slow when the methods were
# timed goes back when tune verifies it; what really is faster stays. Then the doctor.
verified() {
  local target ours tune=(tune --launcher './job {ranks}' --mpi "$1" --collective bcast --communicator-sizes 2 --message-sizes 8K,256K
    --samples 1..3 --cell-budget 0.05 --caution 0 --foreign-load 0 --segment-sizes 256 --details)
  ours=("${tune[@]}" --methods Pipeline_256B,default -o t)
  target=$(rule_target "$build" "$1") || exit 1
  given "$2" '' $' default 1000\n. 100'
  calmly "$colltree" "${ours[@]}" --sessions 0
  chosen bcast 2 256K --model t/tuned.cdt
  [ "$(<out)" = Pipeline_256B ] || die "not misled: $(<out)"
  [ ! -e t/verification.csv ] || die "verified nevertheless"
  given "$2" '' $' 8192 default 1000\n 262144 pipeline 1000\n. 100'
  calmly "$colltree" "${ours[@]}"
  grep -q ': 0 cells measured, ' out || die "measured again: $(cat out)"
  grep -q '^bcast  *Pipeline_256B .*  kept in parts (1 slower)$' out || die "not cut: $(cat out)"
  for decision in '8K Pipeline_256B' '256K default'; do
    chosen bcast 2 "${decision% *}" --model t/tuned.cdt
    [ "$(<out)" = "${decision#* }" ] || die "deployed at ${decision% *}: $(<out)"
  done
  # What was verified is not measured again, nor what is there of it after a kill.
  cp t/verification.csv whole.csv
  calmly "$colltree" "${ours[@]}"
  cmp whole.csv t/verification.csv || die "verified again"
  head -n 5 whole.csv >t/verification.csv
  calmly "$colltree" "${ours[@]}"
  cmp whole.csv t/verification.csv || die "begun anew"
  # The gain is gone, and a variable is another one behind its back.
  given "$2" "$3" '. 100'
  "$colltree" verify doctor --model t/tuned.cdt --launcher './job {ranks}' --mpi "$1" >out 2>err && die "all is well: $(cat out)"
  grep -q '^colltree: t/tuned.cdt: has drifted at 1 of 1 probes; tune again$' err || die "$(cat out err)"
  grep -q "^changed: $4$" out || die "the variable is not noticed: $(cat out)"
  grep -qx "$PWD/t/profile.db: these times are not stored: the library or its settings have changed since it was tuned" err || die "$(cat err)"
  # What the doctor finds slower goes back when it is tuned again, with the times of both sessions and no new one.
  given "$2" '' $' default 100\n. 3000'
  mkdir -p copy
  cp t/tuned.cdt t/verification.csv t/*settings* copy
  "$colltree" verify doctor --model copy/tuned.cdt --launcher './job {ranks}' --mpi "$1" >out 2>err && die "all is well: $(cat out)"
  [ "$(grep -c stored err)" -eq 0 ] || die "stored: $(cat err)"
  "$colltree" verify doctor --model t/tuned.cdt --launcher './job {ranks}' --mpi "$1" >out 2>err && die "all is well: $(cat out)"
  grep -q "^$PWD/t/profile.db: 2 of 2 cells are stored as another session of [^ ]*; 'tune' and 'fit' use it$" err || die "$(cat err)"
  calmly "$colltree" "${ours[@]}" --sessions 0
  grep -q ': 0 cells measured, ' out || die "measured again: $(cat out)"
  chosen bcast 2 8K --model t/tuned.cdt
  [ "$(<out)" = default ] || die "what is slower stays: $(<out)"
  # The same with the library's own methods and its rules.
  given "$2" '' $' default 1000\n. 100'
  local own=("${tune[@]/8K,256K/8K}" --source "$1" --methods "$5,default" -o own)
  calmly "$colltree" "${own[@]}" --sessions 0
  chosen bcast 2 8K --model own/bcast.json
  grep -qi "^$5$" out || die "not misled: $(cat out)"
  given "$2" '' '. 100'
  calmly "$colltree" "${own[@]}"
  [[ $(head -n 1 out) == "Nothing is deployed: the verification showed no gain over the library's own choice"* ]] || die "$(cat out)"
  grep -qi "^bcast  *$5 .*  back to the library's own choice" out || die "the bad rule stays: $(cat out)"
  chosen bcast 2 8K --model own/bcast.json
  [ "$(<out)" = default ] || die "deployed: $(<out)"
  ok "$colltree" check "own/rules.$target" --for "$target"
  # What leaves every call to the library has nothing that could drift.
  ok "$colltree" emit cdt own/bcast.json -o none.cdt
  ok "$colltree" verify doctor --model none.cdt --launcher './job {ranks}' --mpi "$1" --communicator-sizes 2
  [ "$(<out)" = $'none.cdt: leaves these calls to the library; nothing to examine\nholds' ] || die "$(cat out)"
  fails 2 "colltree: name what is deployed: --rules FILE of the library, or --model FILE of colltree
Try 'colltree verify doctor --help'." "$colltree" verify doctor --launcher "$2"
  cp t/tuned.cdt alone.cdt
  fails 2 "colltree: the sizes to examine are not known, because no verification.csv of colltree tune lies beside the file; give --on verification.csv or --communicator-sizes
Try 'colltree verify doctor --help'." "$colltree" verify doctor --model alone.cdt --launcher "$2"
  echo round >bad.csv
  fails 1 "colltree: $PWD/bad.csv:1: expected the header $(head -n 1 whole.csv), got 'round'" \
    "$colltree" verify doctor --model alone.cdt --on "$PWD/bad.csv" --launcher "$2"
  # An ordinary file: one of the three words, and an exit code that says the same.
  ok "$colltree" fit optimal own/profile.db --collective bcast --parameters leaves=1 --without-default -o one.json
  ok "$colltree" emit "$target" one.json -o one.rules
  "$colltree" verify doctor --rules one.rules --launcher "$2" --communicator-sizes 2 --message-sizes 1K,4K --time-limit 2 >out 2>err
  local code=$?
  case $(tail -n 1 out) in holds) [ $code -eq 0 ] ;; drifted) [ $code -eq 1 ] ;; 'cannot tell') [ $code -eq 3 ] && tail -n 1 err | grep -q '^colltree: one.rules: ' ;; *) false ;; esac ||
    die "exit code $code: $(cat out err)"
}
verified_openmpi() {
  verified openmpi 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' OMPI_MCA_coll_tuned_bcast_algorithm=1 \
    'coll_tuned_bcast_algorithm was 0, is 1' Pipeline_256B
}
verified_mpich() {
  verified mpich "$mpich_launcher" MPIR_CVAR_BARRIER_INTRA_ALGORITHM=dissemination \
    'MPIR_CVAR_BARRIER_INTRA_ALGORITHM was [0-9]*, is [0-9]*' scatter_recursive_doubling_allgather
}

# energy RANKS [settings]: the total energy that pw.x finds, to the last digit that it prints.
energy() {
  local ranks=$1
  shift
  env OMP_NUM_THREADS=1 "$@" mpirun.openmpi --oversubscribe --mca btl vader,self -np "$ranks" pw.x -in "$here/silicon.in" \
    >"pw.$ranks" 2>&1
  sed -n 's/^! *total energy *= *//p' "pw.$ranks"
}
# A whole program, collective-bound, through Fortran: the same energy under emitted rules as without.
application_openmpi() {
  local pseudo=/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz ranks without under
  command -v pw.x >/dev/null && [ -s "$pseudo" ] || { echo "no quantum-espresso with its examples"; exit 77; }
  mkdir out.pw
  zcat "$pseudo" >Si.pz-vbc.UPF
  ok "$colltree" measure --source openmpi --launcher 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' \
    --collective all --communicator-sizes 2,4 --message-sizes 8,1K,16K --segment-sizes 0,1K --samples 1..6 \
    --cell-budget 0.004 --foreign-load 0 -o own.db
  ok "$colltree" fit c45 own.db --collective $all --parameters weight=1,confidence=90 -o own.json
  ok "$colltree" emit "$(rule_target "$build" openmpi)" own.json -o own.rules
  printf '1\n2\n1\n2\n1\n0 99 0 0\n' >no_such_algorithm
  local load='OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename'
  for ranks in 2 4; do
    without=$(energy $ranks)
    under=$(energy $ranks $load="$PWD/own.rules")
    echo "$ranks ranks: $without without rules, $under under own.rules"
    [ -n "$without" ] || die "pw.x does not run: $(cat pw.$ranks)"
    [ "$under" = "$without" ] || die "another energy under the rules: $(cat pw.$ranks)"
  done
  # That pw.x reads the file at all: an allreduce that is not there ends it (MPI_ERR_ARG, but what mpirun prints of an
  # aborted job is at times lost).
  [ -z "$(energy 2 $load="$PWD/no_such_algorithm")" ] || die "pw.x does not take the rules"
}

"$2"
