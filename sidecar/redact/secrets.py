"""The built-in patterns of secrets: keys that tell themselves by a prefix, and what is written behind a word such as password."""

from __future__ import annotations

import re

from sidecar.redact.detect import Shape

Span = tuple[int, int, str]

_AWS = re.compile(r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA)(?<![A-Za-z0-9]....)[A-Z2-7]{16}(?![A-Za-z0-9])")
_GITHUB = re.compile(r"(?:gh[pousr]_[A-Za-z0-9]{20,255}+|github_pat_[A-Za-z0-9_]{22,255}+)")
_GITLAB = re.compile(r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,255}+")
_SLACK = re.compile(
    r"xox[abeoprs]-[A-Za-z0-9-]{10,255}+|xapp-\d-[A-Za-z0-9-]{10,255}+|hooks\.slack\.com/services/[A-Za-z0-9/]{20,255}+"
)
_SK = re.compile(r"sk-(?<![A-Za-z0-9]...)[A-Za-z0-9_-]{20,255}+")
_STRIPE = re.compile(r"(?:[sr]k|pk)_(?:live|test)_[A-Za-z0-9]{16,255}+")
_GOOGLE = re.compile(r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")
_HUGGING_FACE = re.compile(r"hf_[A-Za-z0-9]{30,255}+")
# Groq, xAI, Perplexity, Pinecone, Tavily, LangSmith, NVIDIA, Jina, Replicate, Databricks, npm, PyPI, SendGrid, webhooks, DigitalOcean.
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:gsk_|xai-|pplx-|r8_|npm_)[A-Za-z0-9]{30,255}+|pcsk_[A-Za-z0-9_]{30,255}+|tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,255}+"
    r"|lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,255}+|nvapi-[A-Za-z0-9_-]{40,255}+|jina_[A-Za-z0-9_-]{40,255}+|dapi[a-f0-9]{32}(?:-\d)?+(?![A-Za-z0-9])"
    r"|pypi-AgE[A-Za-z0-9_-]{20,255}+|SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,64}+|whsec_[A-Za-z0-9+/]{24,255}+=*+|dop_v1_[a-f0-9]{64})"
)
_PREFIXES = (
    "gsk_", "xai-", "pplx-", "r8_", "npm_", "pcsk_", "tvly-", "lsv2_", "nvapi-", "jina_", "dapi", "pypi-AgE", "SG.", "whsec_", "dop_v1_",
)  # fmt: skip
_SIGNED = re.compile(r"(?:[?&]sig|X-(?:Amz|Goog)-Signature)=([A-Za-z0-9%+/=_-]{20,1024}+)")
_JWT = re.compile(r"eyJ(?<![A-Za-z0-9_-]...)[A-Za-z0-9_-]{10,8000}+\.[A-Za-z0-9_-]{10,8000}+\.[A-Za-z0-9_-]*+")
_PEM = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = re.compile(r"(?:(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/=]{16,}+)*+(?:(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/]{1,15}+=+)?+")
_URL = re.compile(r"://[^\s/:@?#]{0,128}:([^\s/@]{1,256})@")
_BEARER = re.compile(r"(?i)(?:bearer|basic) {1,3}([A-Za-z0-9._~+/-]{16,2048}+=*+)")
_ASSIGNED = re.compile(
    r"(?i)(?:pass(?:wor[dt]|wd|phrase|code)|kennwort|mot de passe|contrase(?:ñ|n)a|senha|wachtwoord|pwd"
    r"|secret(?:[ _-]?(?:access)?[ _-]?key)?|(?:api|access|private|auth|encryption|account)[ _-]?key"
    r"|(?:auth|access|refresh|api|bearer|session)?[ _-]?token|密码|口令|密钥)"
    r"[\"'”*_`]{0,3}(?P<by> {0,3}(?:=>?|:=?|：)|(?: is(?: now)?| ist| lautet| est| es|是|为))[ \"'“*_`：:]{0,4}(?![$({\[])(?P<value>[^\s\"'”,;&<>，。；`*]{4,256})"
)
_SAYING = (
    "pass", "kennwort", "contrase", "senha", "wachtwoord", "pwd", "secret", "key", "token", "密码", "口令", "密钥",
)  # fmt: skip
_ON = re.compile(r"[^\s\"'”,;&<>，。；`*]*+")
_CODE = re.compile(r"[\w.]{1,32}+\(|(?i:none|null|true|false|required|optional|string|undefined)\b")
_MOST_PEM = 20_000
_MOST_VALUE = 256


def _whole(match: re.Match[str]) -> Span:
    return match.start(), match.end(), match.group()


def _group(match: re.Match[str]) -> Span:
    return match.start(1), match.end(1), match.group(1)


def _bearer(match: re.Match[str]) -> Span | None:
    return _group(match) if _mixed(match.group(1)) else None


def _pem(match: re.Match[str]) -> Span:
    """To its end; where that is cut off, over the lines that a key is made of."""
    text, end = match.string, match.end()
    closing = text.find("-----", end, end + _MOST_PEM)
    if closing >= 0 and text.startswith("END ", closing + 5):
        dashes = text.find("-----", closing + 9, closing + 60)
        end = dashes + 5 if dashes >= 0 else closing + 9
    elif (lines := _PEM_LINES.match(text, end, end + _MOST_PEM)) is not None:
        end = lines.end()
    return match.start(), end, text[match.start() : end]


def _assigned(match: re.Match[str]) -> Span | None:
    """A value behind `=` unless it is code; behind a colon or "is" only where it looks like a secret, for those are prose too."""
    start, end, value = match.start("value"), match.end("value"), match.group("value")
    if _CODE.match(value) or ("=" not in match.group("by") and not (value.isascii() and _mixed(value))):
        return None
    if end - start == _MOST_VALUE and (more := _ON.match(match.string, end)) is not None:
        end = more.end()
    value = match.string[start:end]
    kept = value.rstrip(".)!?]}:")
    return (start, start + len(kept), kept) if len(kept) >= 4 else None


def _mixed(value: str) -> bool:
    """Whether it is no plain word: letters with digits, or with signs within."""
    inner = value.strip(".)!?]}:(")
    return any(one.isalpha() for one in inner) and any(not one.isalpha() and one not in "-/_.'’" for one in inner)


SECRETS: tuple[Shape, ...] = (
    Shape("private_key", "secret", _PEM, _pem, ("PRIVATE KEY",), in_ids=True),
    Shape("aws_key", "secret", _AWS, _whole, ("AKIA", "ASIA", "AROA", "AIDA", "AGPA", "ANPA", "ANVA"), in_ids=True),
    Shape("github_token", "secret", _GITHUB, _whole, ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), in_ids=True),
    Shape("gitlab_token", "secret", _GITLAB, _whole, ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"), in_ids=True),
    Shape("slack_token", "secret", _SLACK, _whole, ("xox", "xapp-", "hooks.slack.com"), in_ids=True),
    Shape("api_key", "secret", _SK, _whole, ("sk-",), in_ids=True),
    Shape("api_key", "secret", _STRIPE, _whole, ("_live_", "_test_"), in_ids=True),
    Shape("api_key", "secret", _GOOGLE, _whole, ("AIza",), in_ids=True),
    Shape("api_key", "secret", _HUGGING_FACE, _whole, ("hf_",), in_ids=True),
    Shape("api_key", "secret", _PREFIXED, _whole, _PREFIXES, in_ids=True),
    Shape("api_key", "secret", _SIGNED, _group, ("sig=", "Signature="), in_ids=True),
    Shape("jwt", "secret", _JWT, _whole, ("eyJ",), in_ids=True),
    Shape("url_password", "secret", _URL, _group, ("://",), loose=True, in_ids=True),
    Shape("bearer", "secret", _BEARER, _bearer, ("bearer", "basic"), folded=True, loose=True),
    Shape("password", "secret", _ASSIGNED, _assigned, _SAYING, folded=True, loose=True, in_ids=True),
)  # fmt: skip
