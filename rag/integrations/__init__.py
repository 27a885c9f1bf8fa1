"""Adapters for frameworks, one folder each: thin, and loaded only by whoever imports them."""
