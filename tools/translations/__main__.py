import sys

from tools.translations.catalogues import compile_all
from tools.translations.extract import extract

COMMANDS = {"extract": extract, "compile": compile_all}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: python -m tools.translations {'|'.join(COMMANDS)}")
    COMMANDS[sys.argv[1]]()
