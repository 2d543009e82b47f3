"""An error as a service words it, in any of the ways that services have, and which of the failures it is. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

_BY_STATUS: Mapping[int, str] = {
    400: "provider.bad-request",
    401: "provider.authentication",
    402: "provider.quota",
    403: "provider.forbidden",
    404: "provider.no-model",
    405: "provider.no-model",
    408: "provider.request-timeout",
    409: "provider.conflict",
    413: "provider.request-too-large",
    422: "provider.bad-request",
    425: "provider.conflict",
    429: "provider.rate-limited",
    502: "provider.upstream",
    503: "provider.overloaded",
    504: "provider.upstream",
    529: "provider.overloaded",
}

_STATUS_OF_KIND: Mapping[str, int] = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout_error": 408,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "overloaded_error": 529,
    "insufficient_quota": 402,
    "billing_hard_limit_reached": 402,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
}
"""Types and codes; where an error has several the first of these counts, since the last says least."""

_QUOTA = re.compile(
    r"insufficient[_ ](quota|credits?|funds|balance)|credit_balance|not enough (credits?|balance)"
    r"|billing_(error|hard_limit|not_active)"
    r"|exceeded your current quota|no credits?\b|out of credits?|credit balance is too low|quota exhausted",
    re.I,
)
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|max_tokens_exceeded|context_window_exceeded"
    r"|maximum context length|exceed\w* (the )?(model('s)? )?token limit"
    r"|context (window|length|size)|(prompt|input) is too long|too many input tokens",
    re.I,
)
_FILTER = re.compile(r"content_(filter|policy)|responsible_?ai|safety system", re.I)
_NO_TOOLS = re.compile(
    r"(not|n't) support (\w+ ){0,2}(tool|function)|support tool use|(tool|function)s? (is|are) not supported",
    re.I,
)
_NO_SCHEMA = re.compile(r"response_format|json_schema|structured outputs?", re.I)
_NOT_TAKEN: Mapping[str, re.Pattern[str]] = {
    "provider.no-max-tokens": re.compile(r"max_completion_tokens", re.I),
    "provider.no-temperature": re.compile(
        r"unsupported (value|parameter): '?temperature|temperature\W{0,3} (is |does |has )?(not |un|n't )?"
        r"(support|deprecated|allowed|permitted)|not support (the )?(parameter )?\W?temperature",
        re.I,
    ),
    "provider.no-logprobs": re.compile(r"logprobs", re.I),
    "provider.no-stream-options": re.compile(r"stream_options|include_usage", re.I),
}


@attrs.frozen
class ServiceError:
    """An error as a service words it."""

    message: str = ""
    kind: str = ""
    """Its `type` and `code`, for matching."""
    status: int | None = None
    details: Mapping[str, Any] | None = None


def read_error(body: bytes) -> ServiceError | None:
    """The error in a JSON body, in any of the ways that services put it there; None where the body is
    none."""
    try:
        data = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(data, list) and data:
        data = data[0]
    if isinstance(data, dict):
        for key in ("error", "detail", "errors"):
            if data.get(key):
                return service_error(data[key])
    return service_error(data)


def service_error(error: Any) -> ServiceError:
    """The error from what stands under `error`: a text, an object, or a list of them."""
    if isinstance(error, list) and error:
        error = error[0]
    if not isinstance(error, dict):
        return ServiceError(message="" if error is None else str(error))
    code = error.get("code")
    message = error.get("message") or error.get("error_type") or error.get("msg") or ""
    kinds = (error.get("type"), code, error.get("error_type"), error.get("status"))
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        message = f"{message}: {metadata['raw']}"
    return ServiceError(
        message=str(message),
        kind=" ".join(str(kind) for kind in kinds if kind),
        status=_as_status(code),
        details=metadata if isinstance(metadata, dict) else None,
    )


def _as_status(code: Any) -> int | None:
    number = (
        int(code) if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) == 3 else code
    )
    return number if isinstance(number, int) and 100 <= number <= 599 else None


def status_of(kind: str) -> int | None:
    """The status that goes with a type or code, for an error that came without one."""
    words = kind.lower().split()
    return next((status for name, status in _STATUS_OF_KIND.items() if name in words), None)


def code_of(status: int, told: ServiceError) -> str:
    """The failure's name. What a service says counts for more than its status."""
    words = f"{told.kind} {told.message}"
    if status in (402, 403, 429, 400) and _QUOTA.search(words):
        return "provider.quota"
    if status in (400, 404, 422, 501) and _NO_TOOLS.search(words):
        return "provider.no-tools"
    if status in (400, 404, 422, 501) and _NO_SCHEMA.search(words):
        return "provider.no-schema"
    if status in (400, 403, 422, 501):
        for code, pattern in _NOT_TAKEN.items():
            if pattern.search(words):
                return code
    if status in (400, 413, 422, 500) and _CONTEXT.search(words):
        return "provider.context-limit"
    if status in (400, 403, 422) and _FILTER.search(told.kind):
        return "provider.content-filter"
    if 300 <= status < 400:
        return "provider.redirect"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "provider.server-error" if status >= 500 else "provider.bad-request"
