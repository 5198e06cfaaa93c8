"""The compiled twins, which are private; native/loading.py loads them."""
