"""How good a machine's model is: checks with a figure, a limit and how it was measured.

`scale` and `stored_results` are light enough for web pages; the other modules load the engine.
The rules in words: docs/machines/quality.md.
"""
