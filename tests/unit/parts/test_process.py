"""Ports of the servers of tests."""

from __future__ import annotations

import socket

import pytest

from tests.parts.process import free_ports


def test_ports_are_free_all_different_and_none_that_linux_hands_out_to_connections() -> None:
    several = free_ports(20) + free_ports(20)
    assert len(set(several)) == 40
    assert max(several) < 32_768


def test_a_port_that_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, free = free_ports(2)
    monkeypatch.setattr("tests.parts.process._offered", iter((taken, free)))
    with socket.socket() as one:
        one.bind(("127.0.0.1", taken))
        assert free_ports(1) == [free]


def test_too_few_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.parts.process._offered", iter(()))
    with pytest.raises(OSError, match="1 are not free"):
        free_ports(1)
