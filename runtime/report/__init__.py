"""What people and machines read of runs: the live view, tables, trees, exit codes. Pure but for the live view."""
