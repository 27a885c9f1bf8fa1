"""Tests about the repository itself: its structure, its specs, its documentation."""
