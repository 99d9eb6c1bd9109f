"""Text in C whose statements stand at the lines of the Python that they are written from."""

from __future__ import annotations

import ast


class UserLines:
    """What a writer of C says, piece by piece: a message about a line of it names the user's own line."""

    out: list[str]
    """Pieces of the text."""
    line: int
    """Where the text has come to."""

    def say(self, text: str, node: ast.AST | None = None) -> None:
        """Add text, at the user's line where that lies ahead."""
        line = getattr(node, "lineno", self.line)
        if line > self.line:
            self.out.append("\n" * (line - self.line))
            self.line = line
        self.out.append(text + " ")
