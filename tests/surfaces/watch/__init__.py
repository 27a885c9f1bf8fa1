"""Tests of watching a folder, with real file changes and a real base."""
