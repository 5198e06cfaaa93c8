"""A local web page in which a person reviews extracted pages, labels and teaches."""
