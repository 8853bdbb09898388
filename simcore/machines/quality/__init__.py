"""Measures the quality of machine models. Each check has a value, limits and a description of its method.

`scale` and `stored_results` are light enough for web pages; the other modules load the engine.
docs/machines/quality.md explains the rules.
"""
