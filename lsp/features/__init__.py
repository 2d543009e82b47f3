"""One pure function per request: an analysis and an offset in, plain data with offsets out."""
