"""Quality of machine models: checks, each with a value, limits and the way it was measured.

`scale` and `stored_results` are light enough for web pages; the other modules load the engine.
docs/machines/quality.md explains the rules.
"""
