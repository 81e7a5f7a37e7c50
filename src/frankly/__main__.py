"""Run the command line as ``python -m frankly``."""

from frankly.cli import main

if __name__ == "__main__":
    main(prog_name="frankly")
