"""How good a machine's model is: checks with a figure, a limit and how it was measured.

`scale` and `kept` are light enough for web pages; `measure` and `physics` load the engine.
The rules in words: docs/machines/quality.md.
"""
