"""The checker: one file per kind of declaration, each a pure function of a declaration and what it looks up."""
