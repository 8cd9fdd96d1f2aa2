# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of the package, and the reading of whole text files that raises it."""

import gzip
import os
import zlib
from pathlib import Path
from typing import TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]


class Error(Exception):
    """Something that the caller can fix; the text is one line that names the place and the remedy."""


def read_bytes(path: PathLike) -> bytes:
    """Return the content of a file, decompressed where it is gzip."""
    try:
        content = Path(path).read_bytes()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        raise Error(f"{os.fspath(path)}: {getattr(error, 'strerror', None) or error}; check the path") from None


def write_file(path: PathLike, content: bytes) -> None:
    """Write a file anew."""
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise Error(f"{os.fspath(path)}: cannot be written ({error.strerror}); check the folder, its permissions and the free space") from None


def read_text(path: PathLike) -> str:
    """Return the content of a UTF-8 file, decompressed where it is gzip."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise Error(f"{os.fspath(path)}: is not UTF-8 text; read_profile reads profiles and read_model compact decision files") from None
