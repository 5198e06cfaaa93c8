"""What is learned of a site: the places of main text, and texts that never are main."""
