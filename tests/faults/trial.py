# SPDX-License-Identifier: BSD-3-Clause
"""One try of one fault: the campaign under the fault, what the profile then holds, the same command once more, the verdict."""
import dataclasses

# Words of which a message that says what to do has one.
REMEDIES = ("Cannot allocate memory", "same command", "fix this", "--retry failed", "--silence-limit", "--system", "wait for it", "use ")


@dataclasses.dataclass
class Verdict:
    lost: int = 0       # cells that were stored before and are not, or are others; or that an undisturbed campaign has
    repeated: int = 0   # cells that were stored and were measured again
    mixed: int = 0      # cells that an undisturbed campaign has not
    wrong: str = ""     # anything else that is not as it must be
    message: str = ""

    @property
    def bad(self):
        return bool(self.lost or self.repeated or self.mixed or self.wrong)


def there_before(text):
    words = text.split()
    return int(words[words.index("there") - 1]) if "there" in words else 0


def check_end(run, killed, verdict):
    """A campaign that could not go on says so in one line of its own, with a remedy; by exit code 1."""
    verdict.message = run.message.removeprefix("colltree: ")
    said = [line for line in run.errors if line.startswith("colltree: ")]
    if any(line.startswith("FAULTS: ") for line in run.errors):
        verdict.wrong = "it hangs"
    elif run.code < 0 and killed:
        return
    elif run.code == 0:
        if " 0 failed" not in run.out and "--retry failed" not in run.out:
            verdict.wrong = f"no remedy for failed cells: {run.out}"
        verdict.message = run.out.strip() if " 0 failed" not in run.out else ""
    elif run.code != 1 or len(said) != 1:
        verdict.wrong = f"exit code {run.code}, {run.errors}"
    elif not any(word in said[0] for word in REMEDIES):
        verdict.wrong = f"no remedy: {said[0]}"


def stored(cells):
    return {key: value for key, value in cells.items() if value[0] == "ok"}


def judge(site, run, killed=False, want=None):
    """`run`: how the campaign under the fault ended; `killed`: it was meant to end by a signal."""
    verdict = Verdict()
    check_end(run, killed, verdict)
    want_cells, want_text = want or site.undisturbed()[:2]
    before = stored(site.cells())
    again = site.run()
    first = again
    if "--retry failed" in again.out:
        again = site.run(["--retry", "failed"])
    if again.code != 0:
        verdict.wrong = verdict.wrong or f"does not go on: {again}"
    after = site.cells()
    verdict.lost = sum(1 for key, value in before.items() if key not in after or set(value) - set(after[key]))
    verdict.lost += sum(1 for key in want_cells if key not in after) + len(site.failures())
    verdict.repeated = sum(1 for key, value in before.items() if key in after and set(after[key]) - set(value))
    if first.code == 0:
        verdict.repeated += max(0, len(before) - there_before(first.out))
    verdict.mixed = sum(1 for key in after if key not in want_cells)
    if site.name == "simulated" and not verdict.bad and site.exported() != want_text:
        verdict.wrong = "other bytes"
    left = [path.name for path in site.folder.glob("p.db*") if path.name != "p.db" and not (killed and ".plan-" in path.name)]
    if left and not verdict.bad:
        verdict.wrong = f"left behind: {left}"
    return verdict
