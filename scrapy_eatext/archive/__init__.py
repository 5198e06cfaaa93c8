"""Pages that were kept: read from archives, extracted on one machine or on many."""
