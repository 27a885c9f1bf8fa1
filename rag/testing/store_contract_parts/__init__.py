"""The parts of the store contract, one promise a file; see ``rag.testing.store_contract``."""
