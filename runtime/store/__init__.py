"""Terns: the record of every run, kept in SQLite. Imports nothing else of this project.

General layout, in reading order:

* `records`    a run as plain data: the public machine shape (`"schema": 1`)
* `money`      exact sums of US dollars that know what they do not know
* `canonical`  RFC 8785 hashes, by which versions are told apart
* `history`    the turns of a thread as the text a model reads
* `place`      where the file is
* `schema`     the tables, and how an older file becomes a current one
* `connection` one SQLite connection: pragmas, transactions, errors with a way out
* `owner`      which process a running record belongs to, and whether it still lives
* `query`      which runs are meant: filters, prefixes, did-you-mean
* `terns`      `Store`: everything that a program or a command asks of the file, synchronous
* `threads`    conversations as a whole;  `summaries`: what their earlier turns come to
* `scores`     what judges and people said of runs afterwards
* `accounts`   what was spent on each day;  `versions`: which plan ran under which declared version
* `recover`    what can be saved of a damaged file
* `group`      group commit, on a thread
* `recorder`   what a program's runs are recorded with, and the recorder that holds them in memory
* `writer`     the recorder that writes to a file, on top of `group`; these two are the only modules with trio

Nothing is imported here, so that `jrun runs` pays for SQLite but not for trio.
"""
