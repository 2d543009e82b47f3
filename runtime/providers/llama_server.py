"""Run as a program by `local.py`: serves one model on loopback, says where, and ends when its standard input
does.

That is the case too when whoever started it is killed, so no server is ever left behind.
"""

import os
import sys
from importlib import import_module


def main() -> None:
    try:
        xllamacpp = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = sys.argv[1]
        params.model_alias = {"SmolLM2-135M-Instruct"}
        params.n_ctx = 4096
        params.n_parallel = 1
        params.warmup = False
        # Several threads spin on each other at every layer: where another program has one of the cores, that
        # takes a hundred times as long as one thread alone.
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.verbosity = -1
        server = xllamacpp.Server(params)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(1)
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()
    # Its threads would be joined one by one; there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
