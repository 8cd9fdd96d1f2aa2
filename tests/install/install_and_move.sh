#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build tree into a folder, moves that folder, and works from there: a simulated
# campaign, a model, and a C program with the installed header and library.
# Usage: install_and_move.sh CMAKE BUILD_DIR
set -eu
cmake=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --install "$build" --prefix "$scratch/first" > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cmake --install"; }
mv "$scratch/first" "$scratch/moved"
cd "$scratch/moved"
for file in bin/colltree libexec/colltree/colltree-simulate libexec/colltree/libcolltree-measure-smpirun.so \
            share/colltree/platforms/grig.xml include/colltree/decision.h share/doc/colltree/LICENSE \
            share/doc/colltree/docs/architecture.md share/doc/colltree/CHANGELOG.md share/man/man1/colltree.1 \
            share/bash-completion/completions/colltree \
            bin/colltree-c45 share/man/man1/colltree-c45.1 share/bash-completion/completions/colltree-c45 \
            share/zsh/*/_colltree-c45 \
            share/colltree/kit/tool/kit/kit_main.cpp; do
  [ -s "$file" ] || fail "not installed: $file"
done
for program in "$build"/colltree-measure-*; do
  [ -x "libexec/colltree/${program##*/}" ] || fail "not installed: ${program##*/}"
done

cd "$scratch"
moved/bin/colltree measure --platform grig --collective bcast --communicator-sizes 2..4 --message-sizes 1..1K:x32 \
  -o p.db || fail "measure"
moved/bin/colltree fit quadtree p.db --collective bcast -o m.json || fail "fit"
moved/bin/colltree emit cdt m.json -o m.cdt || fail "emit"
# The installed platform, not that of the source tree: a name that only it has.
cp moved/share/colltree/platforms/grig.xml moved/share/colltree/platforms/only-here.xml
moved/bin/colltree measure --platform only-here --collective bcast --communicator-sizes 2 --message-sizes 1 \
  -o here.db || fail "its own platforms"

cat > ask.c << 'EOF'
#include <colltree/decision.h>
#include <stdio.h>
int main(int argc, char** argv) {
  char error[512];
  colltree_decision* decision = colltree_decision_load(argv[argc - 1], error, sizeof error);
  if (decision == NULL) return puts(error), 1;
  const colltree_instance at = {4, 1024, 0, 0};
  const int index = colltree_decide(decision, colltree_decision_collective("bcast"), &at);
  return puts(colltree_decision_method(decision, index).algorithm), 0;
}
EOF
lib=$(dirname "$(find moved -name libcolltree_decision.so)")
"${CC:-cc}" -I moved/include ask.c -o ask -L "$lib" -lcolltree_decision -Wl,-rpath,"$PWD/$lib" || fail "a C program with the library"
said=$(./ask m.cdt)
moved/bin/colltree explain bcast 4 1K --model m.json --json | grep -q "\"algorithm\":\"$said\"" || fail "the C program decides '$said'"

# The examples in the C++ headers, in a project that finds the moved folder.
mkdir examples
cp p.db examples/grig.db
cat > examples/CMakeLists.txt << 'EOF'
cmake_minimum_required(VERSION 3.25)
project(examples LANGUAGES CXX)
find_package(colltree REQUIRED COMPONENTS core rules)
foreach(header timings model rules)
  add_executable(${header} ${header}.cpp)
  target_link_libraries(${header} PRIVATE colltree::rules)
endforeach()
target_link_libraries(timings PRIVATE colltree::core)
EOF
for header in timings model rules; do
  { printf '#include <%s>\n' cstdio fstream iostream colltree/$header.hpp
    echo 'int main() {'
    sed -n 's/^ \*   //p' moved/include/colltree/$header.hpp | grep -v '^#include'
    echo '}'; } > examples/$header.cpp
done
"$cmake" -S examples -B examples -DCMAKE_PREFIX_PATH="$PWD/moved" > log 2>&1 && "$cmake" --build examples -j 2 > log 2>&1 ||
  { cat log; fail "a C++ program with the installed libraries"; }
(cd examples; ./timings > times && ./model > said && ./rules) || fail "the examples of the C++ headers"
[ "$(wc -l < examples/times)" -eq 9 ] || fail "timings.hpp: $(cat examples/times)"
chosen=$(moved/bin/colltree explain bcast 25 480 --model examples/bcast.json --json | grep -o '"algorithm":"[^"]*"' | cut -d'"' -f4)
grep -q "^$chosen, at most [0-9.]* % lost" examples/said || fail "model.hpp: $(cat examples/said), not $chosen"
moved/bin/colltree check examples/bcast.rules > out || fail "rules.hpp: $(cat out)"
sed -i 's/COMPONENTS core/COMPONENTS mpi core/' examples/CMakeLists.txt
"$cmake" -S examples -B other -DCMAKE_PREFIX_PATH="$PWD/moved" > log 2>&1 && fail "a component that there is none of is found"
tr -s ' \n' ' ' < log | grep -q "colltree has no component mpi: it has core and rules" || fail "$(cat log)"

# What was installed for shells and readers, as they use it.
command -v man > /dev/null && { man --warnings -l moved/share/man/man1/colltree.1 > page 2> warnings || fail "man";
  [ ! -s warnings ] || fail "man: $(head -n 1 warnings)"; grep -q 'add timings to a profile' page || fail "the man page"; }
source moved/share/bash-completion/completions/colltree
completed() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _colltree; said=${COMPREPLY[*]}; }
completed moved/bin/colltree fit q; [ "$said" = quadtree ] || fail "bash completes 'fit q' by '$said'"
completed moved/bin/colltree import --format o; [ "$said" = "osu ompi-tuning" ] || fail "bash completes '--format o' by '$said'"
completed moved/bin/colltree fit quadtree --out; [ "$said" = --output ] || fail "bash completes '--out' by '$said'"
completed moved/bin/colltree import --spl; [ "$said" = --split-placements ] || fail "bash completes '--spl' by '$said'"
: > "a file"; completed moved/bin/colltree show a; [[ $said == *"a file"* ]] || fail "bash completes files by '$said'"
if command -v zsh > /dev/null; then for file in moved/share/zsh/*/_colltree*; do zsh -n "$file" || fail "zsh"; done; fi
# colltree-c45's are written by hand: each option that it has, and no other.
options=$(moved/bin/colltree-c45 --help | grep -oE '^  -[-[:alnum:]]+' | tr -d ' ' | sed 's/^-h$/--help/' | sort)
documented=$(grep -oE 'fB\\-[^ ]*' moved/share/man/man1/colltree-c45.1 | sed 's/fB//; s/\\fR.*//; s/\\//g' | sort -u)
diff <(sort -u <<<"$options"$'\n--version') <(echo "$documented") || fail "the man page of colltree-c45"
source moved/share/bash-completion/completions/colltree-c45
COMP_WORDS=(moved/bin/colltree-c45 --str); COMP_CWORD=1; _colltree_c45
[ "${COMPREPLY[*]}" = --strict-r8 ] || fail "bash completes '--str' by '${COMPREPLY[*]}'"

# The installed sources: the kit of the source tree, which tests/kit builds; then one that only this tree can make.
for program in "$build/colltree" moved/bin/colltree; do
  "$program" measure kit --communicator-sizes 2 --message-sizes 1 -o "kit-of-${program%%/*}.tar.gz" || fail "kit"
done
cmp kit-of-.tar.gz kit-of-moved.tar.gz || fail "the installed sources of a kit are others than the tree's"
echo "// only here" >> moved/share/colltree/kit/tool/kit/kit_main.cpp
moved/bin/colltree measure kit --communicator-sizes 2 --message-sizes 1 -o kit.tar.gz || fail "kit"
tar xzOf kit.tar.gz colltree-kit/tool/kit/kit_main.cpp | grep "only here" > /dev/null || fail "its own sources of a kit"

# A program that was copied alone says what it misses and where it looked.
mkdir alone
cp moved/bin/colltree alone/
if alone/colltree measure --platform grig --grid tiny -o x.db 2> error; then fail "a lone program measures"; fi
grep -q "the program colltree-simulate is not in $PWD/alone, $PWD, $PWD/libexec/colltree; it is built" error ||
  fail "$(cat error)"
echo ok
