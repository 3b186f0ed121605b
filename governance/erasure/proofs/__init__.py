"""What shows that something is gone: other code than that which erased, on connections of its own."""
