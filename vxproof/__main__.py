"""`python -m vxproof`."""

from vxproof.cli import main

if __name__ == "__main__":
    main()
