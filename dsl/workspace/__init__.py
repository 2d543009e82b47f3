"""Open files that change: what is kept between two looks, and what a change makes worth a new look."""
