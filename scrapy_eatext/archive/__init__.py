"""Stored pages: read from archives, extracted on one machine or on many."""
