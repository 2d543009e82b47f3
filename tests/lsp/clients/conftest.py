"""pytest-lsp's client and the capability sets of editors.

Its own fixtures are pytest-asyncio's, which cannot stand beside pytest-trio's `trio_mode` (the mode takes
every asynchronous fixture and test for Trio's). So nothing here is an asynchronous fixture: `converse` in
each file runs the asyncio loop from a plain test.
"""
