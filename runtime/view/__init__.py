"""The store as web pages: `jrun view`.

* `markup`    elements whose texts are always escaped
* `style`     how it looks; there is no script and nothing is fetched
* `lists`     runs, threads and versions as tables
* `run_page`  one run: its head, its costs, its steps as a tree over time
* `step_parts`  what stands inside a step: attempts, verdicts, tool calls, decisions, gates
* `export`    pages joined into one file
* `pages`     which page answers which address: a pure function over a store
* `server`    the same over HTTP, for this machine alone
"""
