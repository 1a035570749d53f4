"""Decompression with an end: a few kilobytes of gzip, zstd or lz4 may stand for gigabytes, and aiokafka unpacks batches whole.

aiokafka 0.14 has no limit of its own and no place to give one: its fetch limits count compressed bytes. So its decoders are replaced, in
the modules that call them, by ones that stop. A batch that is too large is to aiokafka what a corrupt one is: the receiver
steps over it and counts it as unreadable.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from types import ModuleType

import cramjam
from aiokafka.codec import _detect_xerial_stream
from aiokafka.errors import CorruptRecordException
from aiokafka.record import default_records, legacy_records
from aiokafka.record._crecords import default_records as c_default_records
from aiokafka.record._crecords import legacy_records as c_legacy_records

_Decoder = Callable[[bytes], bytes]
_XERIAL_HEADER_BYTES = 16
_FIRST_ROOM = 64 * 1024
_LIKELY_RATIO = 8
_GZIP = 31  # wbits of zlib for gzip's header and trailer
_MODULES: tuple[ModuleType, ...] = (default_records, legacy_records, c_default_records, c_legacy_records)


def bound(most_bytes: int) -> None:
    """From now on no compressed batch of any consumer in this process unpacks to more than this. The latest call counts."""
    decoders: dict[str, _Decoder] = {
        "gzip_decode": lambda payload: gunzip(payload, most_bytes),
        "snappy_decode": lambda payload: unsnappy(payload, most_bytes),
        "lz4_decode": lambda payload: _into(cramjam.lz4.decompress_into, payload, most_bytes),
        "zstd_decode": lambda payload: _into(cramjam.zstd.decompress_into, payload, most_bytes),
    }
    for module in _MODULES:
        for name, decoder in decoders.items():
            if hasattr(module, name):
                setattr(module, name, decoder)


def gunzip(payload: bytes, most_bytes: int) -> bytes:
    """The content of gzip members. Raises CorruptRecordException where it is broken or too large."""
    found: list[bytes] = []
    room, left = most_bytes, bytes(payload)
    try:
        while left:
            member = zlib.decompressobj(wbits=_GZIP)
            found.append(member.decompress(left, room + 1))
            room -= len(found[-1])
            if room < 0:
                raise _too_large(most_bytes)
            if not member.eof:
                raise CorruptRecordException("a gzip batch ends early")
            left = member.unused_data
    except zlib.error as error:
        raise CorruptRecordException("a gzip batch is broken") from error
    return found[0] if len(found) == 1 else b"".join(found)


def unsnappy(payload: bytes, most_bytes: int) -> bytes:
    """The content of raw or xerial snappy, whose blocks say their size beforehand. Raises CorruptRecordException."""
    data = bytes(payload)
    blocks = _xerial_blocks(data) if _detect_xerial_stream(data) else [data]
    if sum(map(_snappy_size, blocks)) > most_bytes:
        raise _too_large(most_bytes)
    try:
        return b"".join(bytes(cramjam.snappy.decompress_raw(block)) for block in blocks)
    except cramjam.DecompressionError as error:
        raise CorruptRecordException("a snappy batch is broken") from error


def _xerial_blocks(data: bytes) -> list[bytes]:
    blocks, at = [], _XERIAL_HEADER_BYTES
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("!i", data, at)
        if size <= 0:
            raise CorruptRecordException("a snappy block has no size")
        blocks.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return blocks


def _snappy_size(block: bytes) -> int:
    """The size that a raw snappy block unpacks to: a varint at its start."""
    size = 0
    for place, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return size
    raise CorruptRecordException("a snappy block is broken")


def _into(decompress_into: Callable[[bytes, bytearray], int], payload: bytes, most_bytes: int) -> bytes:
    """What does not fit is tried again with more room: a batch does not say how large it is, and all the room there may be costs
    milliseconds to make ready for a batch of a few kilobytes."""
    data, size = bytes(payload), min(most_bytes, max(_FIRST_ROOM, _LIKELY_RATIO * len(payload)))
    while True:
        room = bytearray(size)
        try:
            found = decompress_into(data, room)
        except cramjam.DecompressionError as error:
            if size == most_bytes:
                raise CorruptRecordException(
                    f"a batch is broken, or unpacks to more than {most_bytes} bytes"
                ) from error
            size = min(most_bytes, size * _LIKELY_RATIO)
        else:
            return bytes(memoryview(room)[:found])


def _too_large(most_bytes: int) -> CorruptRecordException:
    return CorruptRecordException(f"a batch unpacks to more than {most_bytes} bytes")
