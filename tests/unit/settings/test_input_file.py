"""Files that are read: packed or not, by the name that the user typed."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.record.errors import ConfigError
from sidecar.settings import input_file
from sidecar.settings.input_file import FAULTS, ending, lines, open_input, read_file, read_input, unpacked


@pytest.mark.parametrize(
    "content", [b"", b"one\ntwo\n", gzip.compress(b"one\ntwo\n")], ids=["empty", "plain", "packed"]
)
def test_a_file_is_read_as_what_it_holds(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(content)
    expected = b"one\ntwo\n" if content else b""
    assert read_input(path, "mend") == expected
    with open_input(path, "mend") as stream:
        assert list(unpacked(stream)) == expected.splitlines(keepends=True)


def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_file, "_MOST_UNPACKED", 10)
    path = tmp_path / "in.gz"
    path.write_bytes(gzip.compress(b"0" * 10))
    assert read_input(path, "mend") == b"0" * 10
    path.write_bytes(gzip.compress(b"0" * 11))
    with pytest.raises(ConfigError, match=r"in\.gz: holds more than 10 bytes when it is unpacked \(give it in parts\)"):
        read_input(path, "mend")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_text_of_another_encoding_is_read_only_where_that_is_asked(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(content := "{}".encode(encoding))
    with pytest.raises(ConfigError, match=r"in\.jsonl: a text in UTF-(16|32), and UTF-8 is read \(save it as UTF-8: "):
        read_input(path, "mend")
    with open_input(path, "mend") as stream, pytest.raises(FAULTS, match="a text in UTF-"):
        unpacked(stream)
    assert read_file(path, "mend", any_encoding=True) == content


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_over_the_limit_is_passed_over_and_never_held(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    content = b"1234\n\n" + b"x" * 300_000 + b"\n12345\n1\n" + b"y" * 70_000
    (path := tmp_path / "in.jsonl").write_bytes(pack(content))
    pieces: list[bytes] = []
    with open_input(path, "mend") as stream:
        found = list(lines(unpacked(stream), 5, pieces.append))
    assert found == [(5, b"1234\n"), (1, b"\n"), (300_001, None), (6, None), (2, b"1\n"), (70_000, None)]
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= 1 << 16


@pytest.mark.parametrize(
    ("name", "expected"), [("a.jsonl", ".jsonl"), ("a.CSV.GZ", ".csv"), ("a.gz", ""), ("-", ""), ("a", "")]
)
def test_the_ending_is_that_of_what_is_packed(name: str, expected: str) -> None:
    assert ending(Path(name)) == expected


def test_a_standard_input_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    for read in (read_input, open_input):
        with pytest.raises(ConfigError, match="standard input: is closed"):
            read(Path("-"), "mend")


def test_packed_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\n"))))
    assert read_input(Path("-"), "mend") == b"one\n"
