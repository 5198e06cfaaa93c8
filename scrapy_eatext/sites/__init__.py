"""Site files: learned places of main text, and texts that are never main text."""
