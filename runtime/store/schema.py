"""The tables, and the steps by which a file of an earlier version becomes a current one.

`PRAGMA user_version` counts the steps that a file has been through. A step, once released, never changes: a
new need is a new step. All pending steps run in one transaction that holds the write lock, so that of many
processes that start at once one upgrades and the others find the work done.
"""

from __future__ import annotations

from collections.abc import Sequence

from .connection import Database
from .errors import NotAStoreError, StoreTooNewError

APPLICATION_ID = 0x7465726E  # "tern": tells our files from any other SQLite database

Step = tuple[str, ...]

_THREADS_AND_TERNS: Step = (
    """
    CREATE TABLE threads (
      tenant  TEXT NOT NULL,
      id      TEXT NOT NULL,
      created INTEGER NOT NULL,            -- milliseconds since 1970, UTC, as everywhere here
      PRIMARY KEY (tenant, id)
    ) WITHOUT ROWID
    """,
    # The columns are what runs are found by; `body` is the head of the record as JSON. Steps have a table of
    # their own, so that a list reads none and a step that has been journaled is not written a second time.
    """
    CREATE TABLE terns (
      seq       INTEGER PRIMARY KEY,
      id        TEXT NOT NULL UNIQUE,
      tenant    TEXT NOT NULL,
      thread    TEXT NOT NULL,
      turn      INTEGER NOT NULL,
      flow      TEXT NOT NULL,
      workflow  TEXT NOT NULL,
      status    TEXT NOT NULL,
      started   INTEGER NOT NULL,
      version   TEXT,
      prompt    TEXT,
      model     TEXT,
      config    TEXT,
      replay_of TEXT,
      pid       INTEGER NOT NULL,
      host      TEXT NOT NULL,
      born      TEXT NOT NULL,
      body      TEXT NOT NULL,
      UNIQUE (tenant, thread, turn),
      FOREIGN KEY (tenant, thread) REFERENCES threads (tenant, id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX terns_by_time ON terns (tenant, started)",
    "CREATE INDEX terns_running ON terns (status) WHERE status = 'running'",
    """
    CREATE TABLE steps (
      tern TEXT NOT NULL REFERENCES terns (id) ON DELETE CASCADE,
      id   TEXT NOT NULL,
      seq  INTEGER NOT NULL,               -- place within the run
      body TEXT NOT NULL,
      PRIMARY KEY (tern, id)
    )
    """,
    """
    CREATE TABLE paused_runs (
      tern  TEXT PRIMARY KEY REFERENCES terns (id) ON DELETE CASCADE,
      step  TEXT NOT NULL,                 -- the step that waits for a person
      since INTEGER NOT NULL,
      state TEXT NOT NULL                  -- JSON: what resuming needs beside the journal
    ) WITHOUT ROWID
    """,
)
_EVALUATION: Step = (
    """
    CREATE TABLE scores (
      tern     TEXT NOT NULL REFERENCES terns (id) ON DELETE CASCADE,
      judge    TEXT NOT NULL,
      score    REAL,                       -- 0..1; NULL: the judgement could not be read
      reason   TEXT,
      cost     TEXT NOT NULL,
      scored   INTEGER NOT NULL,
      PRIMARY KEY (tern, judge)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE summaries (
      tenant     TEXT NOT NULL,
      thread     TEXT NOT NULL,
      first_turn INTEGER NOT NULL,
      last_turn  INTEGER NOT NULL,
      text       TEXT NOT NULL,
      created    INTEGER NOT NULL,
      PRIMARY KEY (tenant, thread, last_turn),
      FOREIGN KEY (tenant, thread) REFERENCES threads (tenant, id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE config_versions (
      tenant   TEXT NOT NULL,
      workflow TEXT NOT NULL,
      version  TEXT NOT NULL,              -- as declared
      config   TEXT NOT NULL,              -- hash of the plan that ran under it
      seen     INTEGER NOT NULL,           -- last
      PRIMARY KEY (tenant, workflow, version, config)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE day_accounts (
      tenant  TEXT NOT NULL,
      account TEXT NOT NULL,               -- <workflow> or <workflow>:eval
      day     TEXT NOT NULL,               -- YYYY-MM-DD, UTC
      cost    TEXT NOT NULL,               -- decimal text in US dollars, of the calls whose price is known
      unknown INTEGER NOT NULL,            -- calls whose price is not
      tokens  INTEGER NOT NULL,
      calls   INTEGER NOT NULL,
      PRIMARY KEY (tenant, account, day)
    ) WITHOUT ROWID
    """,
)
_LABELS_AND_PROFILES: Step = (
    """
    CREATE TABLE labels (
      tern     TEXT NOT NULL REFERENCES terns (id) ON DELETE CASCADE,
      labeller TEXT NOT NULL,
      label    TEXT NOT NULL,              -- pass or fail
      note     TEXT,
      labelled INTEGER NOT NULL,
      PRIMARY KEY (tern, labeller)
    ) WITHOUT ROWID
    """,
    # A profile is another plan on purpose, and what a version means is what ran under it first.
    """
    CREATE TABLE plans_seen (
      tenant   TEXT NOT NULL,
      workflow TEXT NOT NULL,
      profile  TEXT NOT NULL,              -- empty: none
      version  TEXT NOT NULL,
      config   TEXT NOT NULL,
      first    INTEGER NOT NULL,
      seen     INTEGER NOT NULL,
      PRIMARY KEY (tenant, workflow, profile, version, config)
    ) WITHOUT ROWID
    """,
    "INSERT INTO plans_seen SELECT tenant, workflow, '', version, config, seen, seen FROM config_versions",
    "DROP TABLE config_versions",
    "ALTER TABLE plans_seen RENAME TO config_versions",
    "ALTER TABLE day_accounts ADD COLUMN milliseconds INTEGER NOT NULL DEFAULT 0",
)
# A run's number and not its id, which is random: the steps of runs that follow each other lie side by side in the index
# as well, and one page is written where there were two.
_STEPS_BY_NUMBER: Step = (
    """
    CREATE TABLE steps_by_number (
      run   INTEGER NOT NULL REFERENCES terns (seq) ON DELETE CASCADE,
      id    TEXT NOT NULL,
      place INTEGER NOT NULL,              -- within the run, in the order in which steps start
      body  TEXT NOT NULL,
      PRIMARY KEY (run, id)
    )
    """,
    """
    INSERT INTO steps_by_number SELECT terns.seq, steps.id, steps.seq, steps.body
    FROM steps JOIN terns ON terns.id = steps.tern ORDER BY terns.seq, steps.seq
    """,
    "DROP TABLE steps",
    "ALTER TABLE steps_by_number RENAME TO steps",
)
STEPS: tuple[Step, ...] = (_THREADS_AND_TERNS + _EVALUATION, _LABELS_AND_PROFILES, _STEPS_BY_NUMBER)


def upgrade(database: Database, steps: Sequence[Step] = STEPS) -> None:
    """Brings the file up to date, if it is not.

    Raises `StoreTooNewError` or `NotAStoreError` and then has changed nothing.
    """
    if check(database, steps) == len(steps):
        return
    with database.transaction():
        # Another process may have done it while this one waited for the lock.
        done = check(database, steps)
        for step in steps[done:]:
            for statement in step:
                database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {len(steps)}")


def check(database: Database, steps: Sequence[Step] = STEPS) -> int:
    """How many steps the file has been through; 0: it is empty. Reads only."""
    version, application = database.pragma("user_version"), database.pragma("application_id")
    tables = database.rows("SELECT count(*) FROM sqlite_master")[0][0]
    if application != APPLICATION_ID and (application or version or tables):
        raise NotAStoreError(
            f"{database.path}: this is another program's database; point $TERN_DB at another file"
        )
    if version > len(steps):
        raise StoreTooNewError(
            f"{database.path}: it was written by a newer judgeflow "
            f"(schema {version}, this one knows {len(steps)}); "
            "upgrade with `pip install -U judgeflow`, or point $TERN_DB at another file"
        )
    return version
