"""The default algorithm's classifier of blocks: features, trees, selection."""
