"""The version of this package, apart so that `jrun --version` imports nothing else."""

__version__ = "0.1.0"
