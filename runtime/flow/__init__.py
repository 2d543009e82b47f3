"""From a Plan to a run: actors under supervision, a flow that asks them, events and a record."""
