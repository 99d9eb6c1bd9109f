"""Functions that answer the question that another one, of the same parameters, only asks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, Protocol, TypeVar

Said = ParamSpec("Said")
Told_co = TypeVar("Told_co", covariant=True)


class Question(Protocol[Told_co]):
    """What can be answered as a whole; some can be in parts as well."""

    def answer(self) -> Told_co:
        """The answer."""


def answered(ask: Callable[Said, Question[Told_co]], name: str, returns: str) -> Callable[Said, Told_co]:
    """The function of a name that takes what ``ask`` takes, and answers it. returns : the type, as help() shows it."""

    @wraps(ask)
    def answer(*args: Said.args, **kwargs: Said.kwargs) -> Told_co:
        return ask(*args, **kwargs).answer()

    answer.__name__ = answer.__qualname__ = name
    answer.__annotations__ = {**ask.__annotations__, "return": returns}
    vars(answer)["__signature__"] = inspect.signature(ask).replace(return_annotation=returns)
    return answer
