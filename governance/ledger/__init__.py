"""What happened, in order, for ever, and the words, sealed. Knows nobody: tenants, actors and streams are plain ids."""
