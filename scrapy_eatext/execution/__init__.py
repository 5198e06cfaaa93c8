"""Extracts single pages in bounded time: choices, the cascade, and executors."""
