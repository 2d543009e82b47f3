"""Tests: the `test` blocks of a file, scripted models, one judge alone."""
