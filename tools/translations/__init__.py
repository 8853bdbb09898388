"""Extracts the texts of the product for translation and compiles the translations.

    .venv/bin/python -m tools.translations extract    add new texts to the catalogues, remove old ones
    .venv/bin/python -m tools.translations compile    make the files for Django and the browser (in set-up)

Catalogues are in locale/<language>/LC_MESSAGES/: django.po (Python and templates), machines.po (machine
descriptions and twins) and djangojs.po (TypeScript).
"""
