"""A program as the verbs that run it open it."""

from __future__ import annotations

import argparse
from contextlib import AbstractAsyncContextManager

from ..program import Program
from ..session import Session
from .replies import Replies
from .store_file import store_file


def opened(
    program: Program, arguments: argparse.Namespace, replies: Replies
) -> AbstractAsyncContextManager[Session]:
    """Over the user's store, or without one where the options say so. Its runs count towards the day either way."""
    path = store_file()
    return program.opened(
        profile=arguments.profile,
        store=None if arguments.no_store else path,
        accounts=path,
        grace=0.5,
        cache=replies.cache,
        recorder=replies.recorder,
    )
