"""Review: a page on loopback in which a person sees, corrects and teaches."""
