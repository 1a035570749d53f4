"""The table of aiokafka's errors is whole."""

from __future__ import annotations

import inspect

import aiokafka.errors

from exporters.clients.kafka_errors import TABLE, Kind, kind_of


def test_the_table_knows_every_error_that_aiokafka_has() -> None:
    there = {
        error.__name__
        for error in vars(aiokafka.errors).values()
        if inspect.isclass(error) and issubclass(error, aiokafka.errors.KafkaError)
    }
    assert there == TABLE.keys()


def test_what_aiokafka_calls_retriable_is_never_taken_for_hopeless() -> None:
    for name, kind in TABLE.items():
        if getattr(aiokafka.errors, name).retriable:
            assert kind in (Kind.RETRYABLE, Kind.RENEW), name


def test_an_error_nobody_knows_yet_says_itself_whether_to_try_again() -> None:
    class Newer(aiokafka.errors.KafkaError):  # type: ignore[misc]
        retriable = True

    class Worse(aiokafka.errors.KafkaError):  # type: ignore[misc]
        retriable = False

    assert (kind_of(Newer()), kind_of(Worse()), kind_of(OSError())) == (
        Kind.RETRYABLE,
        Kind.PERMANENT,
        Kind.RETRYABLE,
    )
