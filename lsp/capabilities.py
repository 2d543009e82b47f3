"""What a client says about itself, read even where it says things that are not known here."""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from cattrs.errors import BaseValidationError
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams


def structure_initialize(converter: Converter, message: dict[str, Any]) -> types.InitializeParams:
    """The parameters of `initialize`. A capability that does not fit the protocol as known here, such as
    a value that a later version added, is left out. JsonRpcInvalidParams where more than that is
    wrong."""
    try:
        return _structure(converter, message)
    except (BaseValidationError, ValueError, TypeError, KeyError, AttributeError):
        pass
    params = message.get("params")
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams("initialize needs parameters")
    known = {"processId": None, "rootUri": None, **params, "capabilities": {}}
    capabilities = params.get("capabilities")
    for group, members in (capabilities if isinstance(capabilities, dict) else {}).items():
        for name, value in (members if isinstance(members, dict) else {}).items():
            one = {**known, "capabilities": {group: {name: value}}}
            try:
                _structure(converter, {**message, "params": one})
            except (BaseValidationError, ValueError, TypeError, KeyError, AttributeError):
                continue
            known["capabilities"].setdefault(group, {})[name] = value
    try:
        return _structure(converter, {**message, "params": known})
    except (BaseValidationError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"initialize: {type(error).__name__}") from None


def _structure(converter: Converter, message: dict[str, Any]) -> types.InitializeParams:
    return converter.structure(message, types.InitializeRequest).params
