"""``python -m rag``: the command line without an installed script."""

from rag.surfaces.cli import main

if __name__ == "__main__":
    main()
