#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE SCENARIO: one scenario in an empty directory; the first thing that is not as it
# must be ends it with a message.
set -u
# Leaks are looked for where commands run in the tests' own process: it is half of a short program's time.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
build=$1
source=$2
colltree=$build/colltree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

die() { echo "FAILED: $*" >&2; exit 1; }
ok() { "$@" >out 2>err || { cat out err >&2; die "exit code $?: $*"; }; }
# One line on standard error, progress and the announcement of a campaign apart.
says() { [ "$(grep -vE ' [0-9]+/[0-9]+ [a-z]+ \([0-9]+ %\)|^measuring into ' err)" = "$1" ] || { cat err >&2; die "want the one line: $1"; }; }
# ends CODE TEXT NAME: what the command NAME, whose exit code was $?, must have come to.
ends() { local got=$?; [ $got -eq "$1" ] || { cat err >&2; die "exit code $got, not $1: $3"; }; says "$2"; }

# What the commands work on.
cp "$source/tests/campaign/grig_tiny-3.32.csv" p.csv || die "no timings"
ok "$colltree" import p.csv -o p.db
ok "$colltree" fit quadtree p.db --collective bcast -o m.json
ok "$colltree" emit cdt m.json -o m.cdt
ok "$colltree" emit openmpi-4.1 m.json -o r.rules
cat >calls.csv <<'END'
# colltree record 1
# state complete
# ranks 8
# ranks_covered 8
# seconds 1.5
# calls_lost 0
collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,calls,bytes,rank_calls,total_us,min_us,max_us
bcast,8,8,1,1024,binomial,0,model,20,20480,160,896.120,3.811,59.539
END
tar xJf "$source"/c45/tests/data/c45.tar.xz --strip-components=2 c45/public/p01_bcast_small.{names,data} || die "no C4.5 data"

# NAME|ARGUMENTS: command lines beside the examples of commands.def (commands.py); behind colltree-c45 those of that program.
# A file that is made is FILE.
prints="$("$source/tests/output/commands.py")" || die "no examples"
writers=$(sed -nE 's/^[a-z ]+[|](.* -o) FILE$/\1/p' <<<"$prints")
prints+="
dry run|tune --dry-run --platform grig -o planned
measure methods|measure methods --source mpich --json
measure kit|measure kit --communicator-sizes 2 --message-sizes 1 -o FILE
import|import p.csv -o FILE
export|export p.db -o -
import|import p.db -o FILE
show|show p.db --map --penalty
show|show calls.csv --on p.db
show|show calls.csv --json
show|show p.db --map --collective bcast --json
show|show p.db --map --collective bcast -o FILE
show|show p.db --parameters
fit|fit c45 p.db --collective bcast --details -o FILE
evaluate|evaluate m.json --on p.db
evaluate compare|evaluate compare p.db --collective bcast --fit quadtree
evaluate compare|evaluate compare p.db --collective bcast --fit quadtree -o -
report|report p.db --collective bcast --json
colltree-c45|colltree-c45 -f p01_bcast_small
colltree-c45|colltree-c45 -f p01_bcast_small --json
explain|explain bcast 8 1024 --json --model m.json
tune|tune --help
run|run --help
measure|measure --help
verify|verify --help
verify doctor|verify doctor --help
verify program|verify program --help
help|--help
version|--version
"
# Runs it where no file is yet.
anew() {
  rm -f FILE*
  by=colltree
  [ "$1" != colltree-c45 ] || { by=$1; shift; }
  "$build/$by" "$@"
}
# each FUNCTION: for every row its arguments as words.
each() {
  local name words
  while IFS='|' read -r name words; do
    [ -n "$name" ] || continue
    # shellcheck disable=SC2086
    "$1" $words
  done <<<"$prints"
}
all_commands_are_there() {
  local name seen=0
  while read -r name; do
    grep -q "^$name|" <<<"$prints" || die "the command $name is not in this test"
    seen=$((seen + 1))
  done < <(sed -nE 's/^COLLTREE_(SUB)?COMMAND\(("[^"]*"|(\w+)), (\w+),.*/\3 \4/p' "$source/tool/cli/commands.def")
  [ "$seen" -gt 10 ] || die "only $seen commands were found in commands.def"
}

full="No space left on device"

standard_output() {
  all_commands_are_there
  one() {
    ok anew "$@"
    [ -s out ] || return 0  # only a file is made
    anew "$@" >/dev/full 2>err
    ends 1 "$by: standard output: cannot write: $full" "$*"
    case " $* " in *" FILE"*) [ -s FILE ] || die "the file is lost: $*" ;; esac
    anew "$@" >&- 2>err
    ends 1 "$by: standard output: cannot write: Bad file descriptor" "$*"
  }
  each one
}

standard_error() {
  one() {
    ok anew "$@"
    mv out want
    anew "$@" >out 2>/dev/full || die "exit code $? with a full standard error: $*"
    diff want out || die "$*"
    anew "$@" >out 2>&- || die "exit code $? with a closed standard error: $*"
    diff want out || die "$*"
  }
  each one
  # An error keeps its exit code, notes do not keep a result away.
  "$colltree" show none.db 2>/dev/full; [ $? -eq 1 ] || die "an error with a full standard error"
  "$colltree" show none.db 2>&-; [ $? -eq 1 ] || die "an error with a closed standard error"
  "$colltree" shwo 2>/dev/full; [ $? -eq 2 ] || die "wrong usage with a full standard error"
  "$colltree" emit openmpi-4.1 m.json -o r2.rules >out 2>/dev/full || die "notes to a full standard error"
  cmp r.rules r2.rules || die "other rules"
}

# A file that is opened must not become a standard stream.
closed_streams() {
  "$colltree" fit quadtree p.db --collective bcast -o a.json <&- >&- 2>&-
  [ $? -eq 1 ] || die "lost text with exit code 0"
  cmp m.json a.json || die "the model is another one"
  "$colltree" import p.csv -o b.db <&- >&- 2>&-
  ok "$colltree" export p.db -o a.csv
  ok "$colltree" export b.db -o b.csv
  cmp a.csv b.csv || die "what the profile holds is something else"
  "$colltree" export p.db -o c.csv <&- >&- 2>&- || die "nothing was lost, exit code $?"
  cmp a.csv c.csv || die "the table is another one"
}

# A pipe whose reader has gone: quiet, as coreutils, or an error where SIGPIPE is ignored.
lost_reader() {
  mkfifo pipe
  exec 4<>pipe 5>pipe 4<&-
  one() {
    ok anew "$@"
    [ -s out ] || return 0
    anew "$@" >&5 2>err
    ends 141 "" "$*"
    (trap '' PIPE; anew "$@" >&5 2>err)
    ends 1 "$by: standard output: cannot write: Broken pipe" "$*"
    anew "$@" >out 2>&5 || die "exit code $? without a reader of standard error: $*"
  }
  each one
}

# FILE: what each writes there, beside the examples.
writers+="
emit openmpi-4.1 m.json -o
show p.db --map --collective bcast -o
"
each_writer() {
  local line
  while read -r line; do
    [ -n "$line" ] || continue
    rm -rf target*
    mkdir target
    # shellcheck disable=SC2086
    "$1" $line
  done <<<"$writers"
}

files() {
  one() {
    ok "$colltree" "$@" target/plain
    ln -s ../target/old target/link
    echo old >target/old
    chmod 640 target/old
    ok "$colltree" "$@" target/link
    [ -L target/link ] || die "the link is gone: $*"
    [ "$(stat -c %a target/old)" = 640 ] || die "the mode is lost: $*"
    same target/old "$@"
    ln -s later target/dangling
    ok "$colltree" "$@" target/dangling
    [ -L target/dangling ] || die "the dangling link is gone: $*"
    same target/later "$@"
    echo old >target/first
    ln target/first target/second
    ok "$colltree" "$@" target/second
    same target/first "$@"
    mkdir target/folder
    "$colltree" "$@" target/folder >out 2>err
    ends 1 "colltree: target/folder: is a directory, not a file; name a file in it" "$*"
    "$colltree" "$@" target/none/a >out 2>err
    ends 1 "colltree: target/none/a: cannot write: No such file or directory" "$*"
    "$colltree" "$@" "" >out 2>err && die "an empty name: $*"
    [ "$(grep -c . err)" -le 2 ] || { cat err >&2; die "an empty name: $*"; }
  }
  # The command line stands in the report.
  same() {
    if [ "$2" = report ]; then [ "$(wc -c <target/plain)" -gt 1000 ]; else cmp target/plain "$1"; fi ||
      die "another content: ${*:2}"
  }
  each_writer one
}

devices() {
  one() {
    ln -s /dev/full target/full
    "$colltree" "$@" target/full >out 2>err
    ends 1 "colltree: target/full: cannot write: $full" "$*"
    [ -c /dev/full ] && [ -L target/full ] || die "the device is gone: $*"
    ok "$colltree" "$@" target/plain
    mkfifo target/pipe
    cat target/pipe >target/read &
    ok "$colltree" "$@" target/pipe
    wait $!
    [ -p target/pipe ] || die "the pipe is gone: $*"
    [ "$1" = report ] || cmp target/plain target/read || die "another content: $*"
    if mknod target/null c 1 3 2>/dev/null && : 2>/dev/null >target/null; then
      ok "$colltree" "$@" target/null
      [ -c target/null ] || die "the device has become a file: $*"
    fi
    [ "$1" = report ] && return
    # What is written there begins with the result, whole.
    "$colltree" "$@" /dev/stdout >target/stdout 2>err || die "/dev/stdout: $*"
    cmp -n "$(wc -c <target/plain)" target/plain target/stdout || die "/dev/stdout: $*"
    { echo before; "$colltree" "$@" /dev/fd/6 >out 2>err || die "/dev/fd/6: $*"; echo after; } 6>target/fd >&6
    [ "$(head -1 target/fd)" = before ] && [ "$(tail -1 target/fd)" = after ] || die "/dev/fd/6: $*"
  }
  each_writer one
}

profiles() {
  mkfifo pipe
  kinds="pipe /dev/full"
  mknod null c 1 3 2>/dev/null && : 2>/dev/null >null && kinds="$kinds null"
  for kind in $kinds; do
    for words in "import p.csv -o $kind" "import p.db x.csv -o $kind" "evaluate compare $kind"; do
      # shellcheck disable=SC2086
      "$colltree" $words >out 2>err
      ends 1 "colltree: $kind: is a device or a pipe, not a profile; name a file" "$words"
    done
    [ -c "$kind" ] || [ -p "$kind" ] || die "$kind is gone"
  done
  mkdir far
  ln -s far/q.db link.db
  ok "$colltree" import p.csv -o link.db
  [ -L link.db ] && [ -s far/q.db ] || die "the link was not followed"
  ok "$colltree" export link.db -o a.csv
  ok "$colltree" export p.db -o b.csv
  cmp a.csv b.csv || die "another content"
  # What fails leaves nothing behind, but the link.
  ln -s far/none.db dangling.db
  echo nonsense >bad.csv
  "$colltree" import bad.csv -o dangling.db >out 2>err && die "nonsense was imported"
  [ -L dangling.db ] && [ ! -e far/none.db ] || die "the link is gone, or an empty profile is left"
  # Names that SQLite takes for something else.
  for name in :memory: file:odd.db; do
    ok "$colltree" import p.csv -o $name
    [ -s $name ] || die "imported into nowhere: $name"
  done
  "$colltree" import p.csv -o "" >out 2>err && die "imported into nowhere"
  return 0
}

input() {
  ok "$colltree" import <(gzip -c p.csv) -o a.db
  ok "$colltree" import /dev/stdin -o b.db <p.csv
  cat p.csv | ok "$colltree" import /dev/stdin -o c.db
  ok "$colltree" explain bcast 8 1024 --json --model <(cat m.json)
  ok "$colltree" show <(cat m.json)
  ok "$colltree" check <(cat r.rules) --for openmpi-4.1
  for db in a b c; do
    ok "$colltree" export $db.db -o $db.csv
    ok "$colltree" export p.db -o want.csv
    cmp want.csv $db.csv || die "another content: $db"
  done
  head -c 1G /dev/zero | gzip -1 >bomb.gz
  (cat p.csv | gzip; echo garbage) >trailed.gz
  for words in "import FILE -o new.db" "explain bcast 8 1024 --json --model FILE" "check FILE --for openmpi-4.1" "evaluate FILE --on p.db"; do
    for file in /dev/zero bomb.gz trailed.gz; do
      # shellcheck disable=SC2086
      "$colltree" ${words/FILE/$file} >out 2>err
      [ $? -eq 1 ] || die "not refused: $words with $file"
      [ "$(wc -l <err)" = 1 ] && grep -qE "^colltree: $file:([0-9]+:)? " err || { cat err >&2; die "$words with $file"; }
    done
  done
  [ ! -e new.db ] || die "a profile was made"
}

campaign=(measure --platform grig --collective bcast --communicator-sizes 2..6 --message-sizes 1,1K,64K)

# What is measured is stored, whatever becomes of what is said about it.
campaigns() {
  # No campaign is announced that cannot begin.
  "$colltree" tune --platform grig -o p.csv/x >out 2>err
  [ $? -eq 1 ] && [ "$(cat err)" = "colltree: p.csv/x: cannot make this folder: Not a directory" ] || { cat err >&2; die "a folder below a file"; }
  ok "$colltree" "${campaign[@]}" -o want.db
  ok "$colltree" export want.db -o want.csv
  mkfifo pipe
  exec 4<>pipe 5>pipe 4<&-
  same() { ok "$colltree" export a.db -o a.csv; cmp want.csv a.csv || die "data are lost: $1"; rm a.db; }
  "$colltree" "${campaign[@]}" -o a.db >out 2>/dev/full || die "exit code $? with a full standard error"
  grep -q ' 0 failed' out || die "$(cat out)"
  same "full standard error"
  "$colltree" "${campaign[@]}" -o a.db >out 2>&- || die "exit code $? with a closed standard error"
  same "closed standard error"
  "$colltree" "${campaign[@]}" -o a.db >out 2>&5 || die "exit code $? without a reader of standard error"
  same "no reader of standard error"
  "$colltree" "${campaign[@]}" -o a.db >/dev/full 2>err
  ends 1 "colltree: standard output: cannot write: $full" measure
  same "full standard output"
  "$colltree" "${campaign[@]}" -o a.db <&- >&- 2>&-; [ $? -eq 1 ] || die "lost text with exit code 0"
  same "all streams closed"
  # As some daemons start their programs: SIGCHLD is ignored, so the end of children is not reported.
  ok env --ignore-signal=CHLD timeout 120 "$colltree" "${campaign[@]}" -o a.db
  same "SIGCHLD ignored"
  tune=(tune "${campaign[@]:1}" -o tuned)
  "$colltree" "${tune[@]}" >/dev/full 2>err
  ends 1 "colltree: standard output: cannot write: $full" tune
  ok "$colltree" "${tune[@]}"
  grep -q ': 0 cells measured' out || die "tune measures again: $(cat out)"
  ok "$colltree" "${tune[@]}"
  mv out want
  "$colltree" "${tune[@]}" >out 2>/dev/full || die "exit code $? of tune with a full standard error"
  cmp want out || die "tune says something else"
  rm -r tuned; : >tuned
  "$colltree" "${tune[@]}" >out 2>err && die "a folder where a file is"
  [ -f tuned ] || die "the file is gone"
}

# The measuring programs, and jobs that talk without end.
jobs() {
  "$build/colltree-simulate" --library >/dev/full 2>err; ends 1 "standard output: cannot write: $full" simulate
  for program in "$build"/colltree-measure-openmpi "$build"/colltree-measure-mpich; do
    [ -x "$program" ] || continue
    for question in --library --methods; do
      ok "$program" $question
      [ -s out ] || continue  # not every library tells its methods
      "$program" $question >/dev/full 2>err
      ends 1 "colltree-measure: standard output: cannot write: $full" "$program $question"
    done
    "$program" --library >/dev/full 2>/dev/full; [ $? -eq 1 ] || die "$program ends otherwise"
  done
  flavour=
  [ -x "$build/colltree-measure-openmpi" ] && flavour=openmpi
  [ -n "$flavour" ] || [ ! -x "$build/colltree-measure-mpich" ] || flavour=mpich
  [ -n "$flavour" ] || return 0
  real=(measure --mpi $flavour --collective bcast --communicator-sizes 2 --message-sizes 1 --methods linear --silence-limit 1)
  for noise in 'echo garbage' 'echo garbage >&2' 'echo "@colltree {\"event\":"' ; do
    printf '#!/bin/sh\nwhile :; do %s; sleep 0.01; done\n' "$noise" >fake; chmod +x fake
    "$colltree" "${real[@]}" --launcher ./fake -o a.db >out 2>err
    [ $? -eq 1 ] || die "a job that never reports: $noise"
    tail -1 err | grep -q 'no answer for 1 s\|garbage' || { tail -1 err >&2; die "$noise"; }
  done
  # Its words are lost, the campaign's end is not.
  "$colltree" "${real[@]}" --launcher ./fake -o a.db >out 2>/dev/full; [ $? -eq 1 ] || die "a full standard error"
}

"$3"
