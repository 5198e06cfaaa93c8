"""The compiled twins; private, see native/loading.py for what loads them."""
