#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""testing_page.py BUILD SOURCE: every command of docs/developing/testing.md runs, most in a shorter form: a row of SHORTER for each, and none
for a command that is not on the page. `ctest` lists what it would run. The build is one like release: programs without tests or their data
beside them, where the page says build/release. Prints each fault; exit code 1 if there is one."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A command of the page: its shorter form. What takes minutes even then has tests of its own, and its script is only looked at.
SHORTER = {
    **{f"cmake --preset {tier} && cmake --build --preset {tier} && ctest --preset {tier}":
       f"for kind in configure build test; do cmake --list-presets=$kind | grep '\"{tier}\"' || exit 1; done" for tier in ("dev", "thorough", "long")},
    "ctest --preset dev -R algorithms": "ctest --test-dir BUILD -N -R algorithms",
    "build/dev/tests/model_test --gtest_filter='NoHarm*'": "BUILD/tests/model_test --gtest_filter='NoHarm*' --gtest_list_tests | grep NoHarm",
    "COLLTREE_TEST_SHARE=200 ctest --preset dev -R output.sweep": "ctest --test-dir BUILD -N -R output.sweep",
    "COLLTREE_TEST_SHARE=100000 tests/output/hostile.py build/release . streams": "COLLTREE_TEST_SHARE=14 tests/output/hostile.py RELEASE . streams",
    "COLLTREE_TEST_SHARE=200 tests/faults/run.py build/dev simulated": "{ tests/faults/run.py BUILD simulated no_fault 2>&1 || true; } | grep \"KeyError: 'no_fault'\"",
    "COLLTREE_TEST_SHARE=200 tests/runtime/run.sh CASE FLAVOUR build/dev": "bash -n tests/runtime/run.sh && ctest --test-dir BUILD -N -R '^runtime'",
    "COLLTREE_TEST_SHARE=200 ctest --preset dev -R '^schedules$'": "BUILD/tests/schedule_check barrier/tree && ctest --test-dir BUILD -N -R '^schedules$'",
    "COLLTREE_FUZZ_RUNS=10000000 COLLTREE_FUZZ_SECONDS=3600 ctest --preset long -R fuzz.csv":
        "COLLTREE_FUZZ_RUNS=10 COLLTREE_FUZZ_SECONDS=2 ctest --test-dir BUILD -R '^fuzz.csv$'",
    "COLLTREE_FUZZ_READER=csv build/thorough/tests/reader_fuzz FILE": "COLLTREE_FUZZ_READER=csv BUILD/tests/reader_fuzz $(ls -d tests/fuzz/corpus/csv/* | head -n 1)",
}


def page_commands(text):
    """Of the code blocks, without what stands behind #, and of the first column of the table of long forms."""
    for line in re.findall(r"^    (\S.*)$", text, re.M):
        yield re.sub(r"\s{2,}#.*", "", line)
    for row in re.findall(r"^\| (`.*)$", text[text.index("## Long forms"):], re.M):
        yield re.match(r"`([^`]*)`", row)[1]


def fault(command, shorter, build, source, release):
    """"" or how its shorter form fails."""
    if re.search("reader_fuzz|fuzz.csv", shorter) and not os.path.exists(f"{build}/tests/reader_fuzz"):
        return ""  # libFuzzer is Clang's
    run = shorter.replace("BUILD", build).replace("RELEASE", release)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", run], cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0 or "Total Tests: 0" in done.stdout:
        return f"{command}: {run}: exit code {done.returncode}: {done.stdout[-600:]}"
    return ""


def main(build, source):
    commands = list(page_commands(pathlib.Path(source, "docs/developing/testing.md").read_text(encoding="utf-8")))
    faults = [f"not on the page: {command}" for command in SHORTER if command not in commands]
    with tempfile.TemporaryDirectory() as release:
        for program in pathlib.Path(build).glob("*colltree*"):
            if program.is_file():
                (pathlib.Path(release) / program.name).symlink_to(program)
        for command in commands:
            known = SHORTER.get(command)
            faults.append(fault(command, known, build, source, release) if known else f"no row of SHORTER for {command}")
    faults = [one for one in faults if one]
    print("\n".join(faults) or f"ok: {len(commands)} commands")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
