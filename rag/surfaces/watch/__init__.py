"""Keeps a base in line with a folder while its files change."""
