"""A flow as a picture: what runs, in which order, and what decides. Start at `figure.py`."""
