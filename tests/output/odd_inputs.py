# SPDX-License-Identifier: BSD-3-Clause
"""What hostile.py gives to commands: command lines that work, values of options, names of files, files that are none."""
import gzip
import shutil
import sqlite3
import tarfile

from commands import examples

FILES = {".db": "p.db", ".json": "m.json", ".cdt": "m.cdt", ".rules": "r.rules"}
# The examples, with their kind where they have one: `fit quadtree`, `emit c`.
EXAMPLES = {}
for command, line in examples(FILES, "OUT"):
    kind = len(command.split())
    if len(line) > kind + 1 and line[kind].isalpha() and line[kind + 1] in FILES.values():
        kind += 1
    EXAMPLES[" ".join(line[:kind])] = " ".join(line[kind:])



def unpack_c45(source, folder, stem):
    """Data of C4.5 from the archive in git: any build has that, and only one with tests has it unpacked."""
    with tarfile.open(f"{source}/c45/tests/data/c45.tar.xz") as archive:
        for kind in ("names", "data"):
            with archive.extractfile(f"c45/public/p01_bcast_small.{kind}") as packed, open(f"{folder}/{stem}.{kind}", "wb") as made:
                shutil.copyfileobj(packed, made)


# A quick command line of each command that works. OUT: a file or folder that is made.
BASES = {
    **EXAMPLES, "measure kit": "--communicator-sizes 2 --message-sizes 1 -o OUT", "import": "p.csv -o OUT",
    "fit optimal": "p.db --collective bcast --parameters leaves=3 -o OUT",
    "evaluate compare": "p.db --collective bcast --fit quadtree",
    "emit cdt": "m.json -o OUT", "emit mpich-4.0": "m.json -o OUT",
    "colltree-c45": "-f s", "run": "--model m.cdt --mpi openmpi --dry-run -- true",
    "tune --dry-run": "--batch='slurm -N4' --mpi openmpi --communicator-sizes 2 --message-sizes 1 -o OUT",
    "verify doctor": "--model m.cdt --launcher false --communicator-sizes 2 --message-sizes 1",
    "verify program": "--mpi openmpi --a false --b true",
    "verify": "--library openmpi --rules r.rules --launcher false --communicator-sizes 2 --message-sizes 1",
}
SIMULATED = {
    "measure": "--platform grig --collective bcast --communicator-sizes 2 --message-sizes 1 --methods linear --jobs 1 -o OUT",
    "tune": "--platform grig --collective bcast --communicator-sizes 2 --message-sizes 1 --methods linear,binomial --jobs 1 -o OUT",
}

# Of any option: what is no number, numbers at and beyond bounds, lists, words, what a shell, a terminal or a format takes.
VALUES = ["", " ", "0", "1", "-1", "-0", "+1", "1 ", "01", "0x10", "1e3", "1.5", ".5", "1,5", "nan", "inf", "-inf", "1e400", "1e-400",
          "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
          "18446744073709551616", "9" * 400, "1K", "1M", "16777216T", "1..", "..1", "8..2", "1..4:0", "1..4:x1", "1..1000000",
          "1..1000000000000", "0..18446744073709551615", "2,2,2", ",", "1,", ",".join(map(str, range(1, 20000))), "%", "101%", "-1%",
          "1%%", "nan%", "--help", "-", "--", "=", "a=b", "a" * 100000, "\n", "a\nb", "\x1b[2J", "ä", "\udcff", "'", '"', "$(false)",
          "%s%n", "{}", "{0}", "*", ".", "/dev/null", "/dev/full", "none.db", "bcast", "bcast,bcast", "bcast,none", "all", "auto",
          "quadtree:", "quadtree:max_depth=", "quadtree:max_depth=99999999999", "tree:a=1:b"]

NAMES = ["with space", "new\nline", "-dash", "--help", "--output=x", "ä", "\udcff\udcfe", "a" * 255, "*", "'quoted'", '"', "$HOME", "a;b",
         "\\", "%s", "\x1b[2J", "a,b", "a=b", ":memory:", "file:x?mode=memory", "{ranks}", "con.gz", "~", "#", "|", "&"]
# What is read under such a name, and by which command line.
NAMED = {"import": ("p.csv", "p.csv -o OUT"), "export": ("p.db", "p.db -o OUT"), "show": ("p.db", "p.db"),
         "evaluate": ("m.json", "m.json --on p.db"), "emit c": ("m.json", "m.json -o OUT"), "check": ("r.rules", "r.rules --for openmpi-4.1"),
         "explain": ("m.cdt", "bcast 8 1024 --model m.cdt"), "fit quadtree": ("p.db", "p.db --collective bcast -o OUT"),
         "report": ("p.db", "p.db --collective bcast -o OUT"), "import ": ("p.db", "p.db -o OUT"),
         "show ": ("calls.csv", "calls.csv")}

# Each place of a command line where a file is read: IN.
READERS = {"import": "IN -o OUT", "check": "IN --for mpich-4.0", "run": "--model IN --mpi openmpi --dry-run -- true",
           "emit mpich-4.0": "m.json --into IN -o OUT",
           "evaluate": "m.json --on p.db --mix IN", "colltree-c45": "-f IN", "tune --dry-run": "--batch='slurm -N4' --mpi IN -o OUT",
           "measure": "--platform IN --collective bcast --communicator-sizes 2 --message-sizes 1 --jobs 1 -o OUT",
           "tune": "--batch IN --launcher false --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 1 --system s -o OUT",
           "verify doctor": "--model IN --launcher false --communicator-sizes 2 --message-sizes 1"}
READERS = [*READERS.items(), *((command, words.replace(file, "IN")) for command, words in EXAMPLES.items()
                               for file in FILES.values() if file in words.split())]
NO_FILES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/stdin", "/proc/self/mem", "/proc/self/fd", "/", ".", "..",
            "", "p.csv/x", "a" * 5000, "/proc/self/environ", "/dev/fd/99", "/dev/fd/1", "~"]


def contents(work):
    """Files of the right kind with something wrong, and of none: name -> bytes."""
    csv, model, rules, cdt, db = ((work / name).read_bytes() for name in ("p.csv", "m.json", "r.rules", "m.cdt", "p.db"))
    packed = gzip.compress(csv)
    return {
        "empty": b"", "newline": b"\n", "nul": b"\0", "nuls": b"\0" * 100000, "ff": b"\xff" * 5000, "bom": b"\xef\xbb\xbf",
        "utf16": csv.decode().encode("utf-16"), "crlf.csv": csv.replace(b"\n", b"\r\n"), "cr.csv": csv.replace(b"\n", b"\r"),
        "bom.csv": b"\xef\xbb\xbf" + csv, "nul.csv": csv.replace(b"bcast", b"bc\0st"), "cut.csv": csv[:-3], "twice.csv": csv + csv,
        "head.csv": csv.split(b"\n")[0] + b"\n", "long.csv": csv + b"a" * 3000000, "quote.csv": csv + b'"', "gz": packed,
        "gz2": gzip.compress(packed), "cut.gz": packed[:-9], "head.gz": packed[:10], "magic": b"\x1f\x8b",
        "bad.gz": packed[:40] + b"\0" + packed[41:], "crlf.json": model.replace(b",", b",\r\n"), "bom.json": b"\xef\xbb\xbf" + model,
        "cut.json": model[:-2], "deep.json": b"[" * 200000, "deep2.json": b'{"a":' * 100000, "twice.json": model + model,
        "null.json": b"null", "number.json": b"1e999", "crlf.rules": rules.replace(b"\n", b"\r\n"), "cut.rules": rules[:-5],
        "bom.rules": b"\xef\xbb\xbf" + rules, "one.rules": b"1", "many.rules": b"1 " * 1000000, "cut.cdt": cdt[:-1],
        "long.cdt": cdt + b"\0", "head.cdt": cdt[:8], "gz.cdt": gzip.compress(cdt), "cut.db": db[:len(db) // 2], "head.db": db[:100],
        "gz.db": gzip.compress(db), "long.db": db + b"\0" * 4096}


def databases(work, folder):
    """Profiles that nobody made with colltree, or that another program changed."""
    changes = {
        "wal": ("PRAGMA journal_mode = WAL",), "table": ("CREATE TABLE other (a)",), "view": ("CREATE VIEW v AS SELECT * FROM samples",),
        "trigger": ("CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM samples; END",), "dropped": ("DROP TABLE samples",),
        "column": ("ALTER TABLE samples ADD COLUMN more",), "index": ("DROP INDEX cell_key",),
        "blob": ("UPDATE campaigns SET host = x'00ff00'",), "huge": ("UPDATE campaigns SET options = hex(zeroblob(3000000))",),
        "page": ("PRAGMA page_size = 512", "VACUUM"), "auto": ("PRAGMA auto_vacuum = 1", "VACUUM"), "version0": ("PRAGMA user_version = 0",),
        "version": ("PRAGMA user_version = -1",), "version1": ("PRAGMA user_version = 1",)}
    for name, statements in changes.items():
        shutil.copy(work / "p.db", folder / f"{name}.db")
        connection = sqlite3.connect(folder / f"{name}.db")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
    source = sqlite3.connect(work / "p.db")
    connection = sqlite3.connect(folder / "utf16.db")
    connection.execute("PRAGMA encoding = 'UTF-16'")
    connection.executescript("\n".join(source.iterdump()))
    for what in ("application_id", "user_version"):
        connection.execute(f"PRAGMA {what} = {source.execute(f'PRAGMA {what}').fetchone()[0]}")
    connection.close()
    # A log that was left by another program: what is only in it must not be overlooked.
    connection = sqlite3.connect(folder / "wal.db")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("UPDATE samples SET time_us = time_us * 2 WHERE rep = 1")
    connection.commit()
    for ending in ("", "-wal"):
        shutil.copy(folder / f"wal.db{ending}", folder / f"orphan.db{ending}")
    connection.close()
    shutil.copy(work / "p.db", folder / "denied.db")
    (folder / "denied.db").chmod(0)
