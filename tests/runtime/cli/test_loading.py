"""Ctrl-C while a command's modules are loaded."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from judgeflow.runtime.cli.loading import loading

INTERRUPTED = """
import signal
from judgeflow.runtime.cli.loading import loading

with loading():
    signal.raise_signal(signal.SIGINT)
print("loaded")
"""


def test_an_interrupt_ends_the_process_at_once_and_in_silence() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_afterwards_an_interrupt_is_what_it_was() -> None:
    with loading():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as under `nohup`, or with `&` in a script
    try:
        with loading():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_beside_the_main_thread_modules_are_loaded_as_ever() -> None:
    loaded: list[bool] = []

    def load() -> None:
        with loading():
            loaded.append(True)

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert loaded == [True]
