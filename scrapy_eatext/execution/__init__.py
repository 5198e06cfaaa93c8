"""The work on one page, in bounded time: what is chosen, and where it runs."""
