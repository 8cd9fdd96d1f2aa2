# SPDX-License-Identifier: BSD-3-Clause
# Sourced by sweep.py. odd_profiles: makes profiles that no campaign makes, and files that are none, in the present
# folder: NAME.db. What is valid CSV comes through `import`; the rest is made by hand.

header=system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us

# rows PROCS BYTES ALGORITHMS TIME: a sample for each; TIME is awk of p, m, a (number of the algorithm), n (of the row).
rows() {
  awk -v procs="$1" -v bytes="$2" -v algorithms="$3" 'BEGIN {
    OFMT = CONVFMT = "%.17g"
    split(procs, ps, " "); split(bytes, ms, " "); count = split(algorithms, as, " ")
    for (i = 1; i in ps; i++) for (j = 1; j in ms; j++) for (a = 1; a <= count; a++) {
      p = ps[i]; m = ms[j]; n++
      t = '"$4"'
      if (t != "") print "odd,lib-1,bcast," p ",,," m "," as[a] ",0,0," t
    }
  }'
}
# made NAME: the CSV on standard input as a profile.
made() {
  { echo "$header"; cat; } >"$1.csv"
  "$colltree" import "$1.csv" -o "$1.db" >out 2>err || { cat err >&2; echo "$1" >>unmade; }
}

odd_profiles() {
  local usual="2 4 8 16" sizes="1 1024 65536" methods="linear binomial chain"
  local time='a * p + m / (a + 1)'
  rows 8 1024 linear 5 | made one_cell
  rows "$usual" "$sizes" linear "$time" | made one_method
  rows "$usual" 1024 "$methods" "$time" | made one_message_size
  rows 8 "$sizes" "$methods" "$time" | made one_communicator_size
  rows 1 "$sizes" "$methods" "$time" | made one_rank
  rows "$usual" "$sizes" "$methods" 7 | made equal_times
  rows "$usual" "$sizes" "$methods" '"1e-6"' | made least_times
  rows "$usual" "$sizes" "$methods" '"1e15"' | made most_times
  rows "$usual" "$sizes" "$methods" 'n % 2 ? "1e-6" : "1e15"' | made far_times
  rows "$usual" "$sizes" "$methods" '1 + a * 1e-16' | made close_times
  rows "$usual" "0 1 4611686018427387904" "$methods" 'a * p' | made extreme_sizes
  rows "1 2147483647" "$sizes" "$methods" "$time" | made extreme_ranks
  rows "$usual" "$sizes" "$methods" '(n % 2) ? a * p : ""' | made checkerboard
  rows "2 4 6 8 10" "1 2 4 8 16" "$methods" '(p / 2 + length(m)) % 5 == a ? p : ""' | made scattered
  rows "$usual" "$sizes" "default" "$time" | sed 's/default,0/default,/' | made default_only
  rows "$usual" "$sizes" "default linear" "$time" | sed 's/default,0/default,/' | made default_and_one
  rows "$usual" "$sizes" "$(seq -s ' ' -f 'm%g' 300)" "$time" | made many_methods
  rows "$(seq -s ' ' 2 60)" "1 1024" "linear binomial" '(p % 2) == (a % 2) ? 1 : 2' | made alternating
  rows "$usual" "$sizes" "$methods" "$time" | sed 's/bcast/barrier/; s/,1024,\|,65536,/,0,/' | made barrier_only
  rows "$usual" "$sizes" 'linear größe a"b <script>&amp; =1+1 {x} %s \\ ${HOME}' "$time" |
    awk -F, 'BEGIN { OFS = "," } { gsub(/"/, "\"\"", $8); $8 = "\"" $8 ", x\""; $1 = "=größe <b> %s &amp;"; print }' | made odd_names
  rows "$usual" "$sizes" "$(printf 'a%.0s' {1..3000}) linear" "$time" | made long_name
  rows "$usual" "$sizes" "$methods" "$time" | sed 's/,0,0,/,4611686018427387904,0,/' | made extreme_segments
  rows "$usual" "$sizes" "$methods" "$time" | sed 's/,0,0,/,,,/' | made aggregates
  rows "$usual" "$sizes" "$methods" "$time" | awk -F, 'BEGIN { OFS = "," } { $5 = 1; $6 = $4; print; $5 = $4; $6 = 1; print }' | made placements
  { rows "$usual" "$sizes" "$methods" "$time"; rows 4 64 linear 1 | sed s/odd/even/; } | made two_systems
  sqlite3 one_cell.db .dump | grep -v "INSERT INTO \(cells\|samples\|campaigns\|systems\)" | sqlite3 no_rows.db
  sqlite3 no_rows.db "PRAGMA application_id = $(sqlite3 one_cell.db 'PRAGMA application_id'); PRAGMA user_version = $(sqlite3 one_cell.db 'PRAGMA user_version')"
  head -c 5000 checkerboard.db >cut_short.db
  : >no_bytes.db
  mkdir folder.db
  ln -s nowhere/none.db dangling.db
  echo "no profile" >text.db
  head -c 100000 /dev/urandom >noise.db
  sqlite3 other.db "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
  cp checkerboard.db newer.db
  sqlite3 newer.db "PRAGMA user_version = 99"
  cp checkerboard.db journal.db
  head -c 3000 /dev/urandom >journal.db-journal
  gzip -c checkerboard.db >packed.db
  [ ! -e unmade ] || die "no profiles: $(cat unmade)"
}
