"""How the default algorithm tells content from the rest: features, trees, choice."""
