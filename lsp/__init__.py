"""The language server: an editor's requests answered from `dsl`'s analysis.

General layout: `server.py` registers a handler per request and only translates; `features/` holds one pure
function per request; `transport.py` runs pygls on trio; `documents.py`, `lines.py` and `positions.py` are the
text model.
Nothing here executes or fetches what a file names, and only `jrun lsp` imports this package.
"""
