"""Many tasks at once: which cases, how they are run, what is written down of them, and what the screen shows.

General layout: `selection` picks the cases, `results_file` keeps a line for each that has ended, `work` runs them, and
`progress` tells how far it is.
"""
