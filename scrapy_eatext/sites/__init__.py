"""What a site teaches: where on its pages main text stands, and which texts repeat."""
