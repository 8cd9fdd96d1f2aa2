#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each file of files.txt, as a library ships it, has the verdict that stands there: check.py COLLTREE ARCHIVE
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

colltree, archive = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
tarfile.open(archive).extractall(folder)
clones = os.environ.get("COLLTREE_SHIPPED")
tried = bad = 0


def path_of(name):
    """Where the file lies; None: there is no clone."""
    if "@" not in name:
        return folder / name
    repository, commit, path = re.fullmatch("([^@]*)@([^:]*):(.*)", name).groups()
    clone = pathlib.Path(clones or "/nonexistent", repository.replace("/", "+"), "repo")
    if not clone.exists():
        return None
    file = folder / "of_a_clone"
    file.write_bytes(subprocess.run(["git", "-C", clone, "show", f"{commit}:{path}"], check=True, capture_output=True).stdout)
    return file


for row in re.findall(r"^([^#\s].*\n(?:  .*\n)*)", (pathlib.Path(__file__).parent / "files.txt").read_text(), re.M):
    head, *texts = row.splitlines()
    name, target, *counts = head.split()
    path = path_of(name)
    if path is None:
        continue
    tried += 1
    run = subprocess.run([colltree, "check", path] + ([] if target in ("-", "none") else ["--for", target]), text=True, capture_output=True)
    said = run.stdout + run.stderr
    wanted = [text.strip() for text in texts]
    if counts:
        wanted.append("; {} errors, {} unsafe, {} warnings\n".format(*counts))
    missing = [text for text in wanted if text not in said]
    if missing or (run.returncode == 0) != (counts[:2] == ["0", "0"]):
        bad += 1
        print(f"{name} for {target}: missing {missing}, exit code {run.returncode}\n{said}")
print(f"{tried} files, {bad} with another verdict")
sys.exit(bad != 0 or tried == 0)
