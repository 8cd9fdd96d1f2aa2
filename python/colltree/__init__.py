# SPDX-License-Identifier: BSD-3-Clause
"""Timings and decisions of MPI collectives in Python.

colltree measures the algorithms of MPI collectives and turns the times into a decision function. This package reads its files as pandas
frames, decides with its models over numpy arrays, draws with matplotlib, and starts the program ``colltree`` for everything that measures or
fits. Only what starts the program needs it installed. Every function raises ``Error`` with one line that names the place and the remedy.

Sizes are in bytes, times in microseconds (``time_us``), and a penalty is a fraction: 0.1 means 10 % slower than the best method.

Examples
--------
>>> import colltree
>>> profile = colltree.read_profile("grig.db")
>>> model = colltree.read_model("bcast.json")
>>> model.decide("bcast", 64, 1024)
Method(algorithm='split_binary', segment_size=0)
>>> colltree.plot.decision_map(profile, "bcast", model=model)
"""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "2.0.0"

if TYPE_CHECKING:
    from ._public import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Import the names when one is asked for: pandas and matplotlib take a second, which the page of the report can do without."""
        if name.startswith("_") and name != "__all__":  # such as a module that is about to be imported
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if find_spec(f"{__name__}.{name}"):  # first, as the modules import each other
            return importlib.import_module(f".{name}", __name__)
        public = importlib.import_module("._public", __name__)
        names = globals()
        names |= {name: getattr(public, name) for name in public.__all__} | {"__all__": public.__all__}
        if name in names:
            return names[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return list({*globals(), *__getattr__("__all__")})
