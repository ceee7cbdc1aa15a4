"""`python -m rbmle` is `rbmle`."""

from .cli import main

if __name__ == "__main__":
    main()
