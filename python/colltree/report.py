# SPDX-License-Identifier: BSD-3-Clause
"""The command ``python3 -m colltree.report P.db -o page.html``; in Python, ``colltree.report`` is the function of ``_report.py``."""

import sys

from ._report import main

if __name__ == "__main__":
    sys.exit(main())
