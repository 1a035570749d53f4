"""What a native record says of a failure, and of tokens that were cached."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native
from sidecar.record.request import RagTrace, Tokens


def read(**fields: Any) -> RagTrace:
    return read_native({"question": "q", "answer": "a", **fields}, DecodeConfig(), fallback_timestamp=0.0)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}}, "rate_limit"),
        ({"error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}}, "rate_limit"),
        ({"error": {"type": "invalid_request_error", "code": "context_length_exceeded"}}, "context_length"),
        ({"error": {"error": {"message": "Rate limit reached", "type": "requests"}}}, "rate_limit"),
        ({"error": {"status_code": 503, "detail": "x"}}, "server_error"),
        ({"error": {"message": "Connection refused"}}, "connection"),
        ({"error": {"traceback": "..."}}, "other"),
        ({"error": ["TimeoutError"]}, "timeout"),
        ({"error": 500}, "server_error"),
        ({"error": 429.0}, "rate_limit"),
        ({"error": "504"}, "timeout"),
        ({"error": 1}, "other"),
        ({"error": True}, "other"),
        ({"error": "auth"}, "auth"),
        ({"error_type": "requests", "error": {"code": "rate_limit_exceeded"}}, "rate_limit"),
        ({"error": True, "status": 503}, "server_error"),
        ({"status": "ERROR"}, "other"),
        ({"status": "Failed"}, "other"),
        ({"status": 500}, "server_error"),
        ({"status": "429"}, "rate_limit"),
    ],
)
def test_a_failure_is_told_in_any_shape(fields: dict[str, Any], expected: str) -> None:
    assert read(**fields).error_class == expected


@pytest.mark.parametrize(
    "nothing",
    [
        *(
            None,
            False,
            0,
            200,
            float("nan"),
            "",
            " ",
            "None",
            "null",
            "false",
            "False",
            "nan",
            "0",
            "OK",
            {},
            [],
            [None],
        ),
        *({"code": 0, "message": ""}, {"code": 200, "message": "OK"}, {"type": None, "message": None}),
    ],
)
def test_what_says_that_nothing_failed_is_no_failure(nothing: object) -> None:
    assert read(error=nothing).error_class is None


@pytest.mark.parametrize("status", ["ok", "OK", "success", "done", 200, 302, "200", True, 1, None, 12345])
def test_a_status_of_success_is_no_failure(status: object) -> None:
    assert read(status=status).error_class is None


LITELLM = {"prompt_tokens": 5000, "completion_tokens": 100, "total_tokens": 5100, "cache_read_input_tokens": 4000,
           "cache_creation_input_tokens": 0, "prompt_tokens_details": {"cached_tokens": 4000}}  # fmt: skip
ANTHROPIC = {"input_tokens": 1000, "output_tokens": 100, "cache_read_input_tokens": 4000, "cache_creation_input_tokens": 500}  # fmt: skip
LANGCHAIN = {"input_tokens": 5000, "output_tokens": 100, "total_tokens": 5100,
             "input_token_details": {"cache_read": 3000, "cache_creation": 1500}}  # fmt: skip


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (LITELLM, Tokens(5000, 100, 4000, 0)),
        ({**LITELLM, "total_tokens": None}, Tokens(5000, 100, 4000, 0)),
        ({**LITELLM, "total_tokens": 9100}, Tokens(9000, 100, 4000, 0)),
        (ANTHROPIC, Tokens(5500, 100, 4000, 500)),
        ({**ANTHROPIC, "total_tokens": 5600}, Tokens(5500, 100, 4000, 500)),
        ({**ANTHROPIC, "input_tokens": 5500, "total_tokens": 5600}, Tokens(5500, 100, 4000, 500)),
        (LANGCHAIN, Tokens(5000, 100, 3000, 1500)),
    ],
    ids=[
        "LiteLLM",
        "without a total",
        "a total that counts them apart",
        "Anthropic",
        "with a total",
        "a total that holds them",
        "LangChain",
    ],
)
def test_cached_tokens_are_counted_once(usage: dict[str, object], tokens: Tokens) -> None:
    assert read(usage=usage).tokens == tokens
