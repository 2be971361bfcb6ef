"""All error classes: those of a status here, and one for each code."""

from ._codes import *  # noqa: F403
from ._errors import *  # noqa: F403
