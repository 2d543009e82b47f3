"""What a thread remembers: its last turns, and summaries of those before them.

* `reading`     what a run is shown of its thread
* `windows`     which turns are to be summed up next
* `prompt`      what the model is asked
* `compaction`  asking it, right after an answer, and keeping what it says

A turn is the smallest unit everywhere: question and answer stay together, and a tool call, which belongs to a turn,
stays with its result.
"""
