"""The base over HTTP: JSON under ``/v1``, its OpenAPI description, metrics, and the inspector."""
