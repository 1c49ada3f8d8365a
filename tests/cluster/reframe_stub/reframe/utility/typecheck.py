"""Types of variables."""
from typing import List

__all__ = ["List"]
