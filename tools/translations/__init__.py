"""The texts of the product in other languages than English: found, kept as text, compiled at set-up.

    .venv/bin/python -m tools.translations extract    new texts into the catalogues, those that are gone out
    .venv/bin/python -m tools.translations compile    what Django and the browser read; set-up does it

Catalogues are in locale/<language>/LC_MESSAGES/: django.po (Python and templates), machines.po (what machine
descriptions and twins say) and djangojs.po (TypeScript).
"""
