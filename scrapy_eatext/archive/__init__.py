"""Extraction of pages in archives, on one machine or on many."""
