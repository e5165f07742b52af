"""Outcomes of mutants, a line each, and the table that they make."""

import json
from pathlib import Path

from .mutant import Mutant

HEAD = """\
| package | mutants | killed | survived, explained | survived, not explained | killed of all |
|---|---|---|---|---|---|"""


class Record:
    """Outcomes by the mutants' keys. Explanations go by the change, and hold where other lines of its file change."""

    def __init__(self, path: Path, explained: Path) -> None:
        self.path = path
        self.read()
        self.reasons = {(line["module"], line["was"], line["now"]): line["why"] for line in _lines(explained)}

    def read(self) -> None:
        """Outcomes as they are on the disk; the last of a mutant counts."""
        self.outcomes = {line["key"]: line for line in _lines(self.path)}

    def clear(self) -> None:
        """Forget all outcomes."""
        self.path.unlink(missing_ok=True)
        self.outcomes = {}

    def add(self, package: str, mutant: Mutant, outcome: dict) -> None:
        """Write an outcome at once."""
        about = {"key": mutant.key, "package": package, "module": mutant.module, "line": mutant.line}
        line = {**about, "operator": mutant.operator, "was": mutant.was, "now": mutant.now, **outcome}
        self.outcomes[mutant.key] = line
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def state(self, mutant: Mutant) -> str:
        """Killed, survived or not tried."""
        return self.outcomes.get(mutant.key, {"outcome": "not tried"})["outcome"]

    def why(self, mutant: Mutant) -> str:
        """Why no test can notice a mutant, if somebody has said so."""
        return self.reasons.get((mutant.module, mutant.was, mutant.now), "")

    def is_open(self, mutant: Mutant) -> bool:
        """Whether a mutant is to be tried, for the first time or again."""
        state = self.state(mutant)
        return state in ("not tried", "broken") or (state == "survived" and not self.why(mutant))

    def unexplained(self, sampled: dict[str, list[Mutant]]) -> list[Mutant]:
        """Survivors that nobody has explained."""
        mutants = (mutant for some in sampled.values() for mutant in some)
        return [mutant for mutant in mutants if self.state(mutant) == "survived" and not self.why(mutant)]

    def table(self, sampled: dict[str, list[Mutant]]) -> str:
        """The table by packages, then every survivor with its reason."""
        everything = [mutant for some in sampled.values() for mutant in some]
        rows = [self._row(name, mutants) for name, mutants in [*sampled.items(), ("all", everything)]]
        survivors = [mutant for mutant in everything if self.state(mutant) == "survived"]
        return "\n".join([HEAD, *rows, "", *map(self._survivor, survivors)])

    def _row(self, name: str, mutants: list[Mutant]) -> str:
        tried = [mutant for mutant in mutants if self.state(mutant) != "not tried"]
        survivors = [mutant for mutant in tried if self.state(mutant) == "survived"]
        explained = sum(bool(self.why(mutant)) for mutant in survivors)
        killed = len(tried) - len(survivors)
        share = f"{100 * killed / len(tried):.1f} %" if tried else ""
        return f"| {name} | {len(tried)} | {killed} | {explained} | {len(survivors) - explained} | {share} |"

    def _survivor(self, mutant: Mutant) -> str:
        why = self.why(mutant) or "not explained"
        return f"- {mutant.module}:{mutant.line}: `{mutant.was}` became `{mutant.now}`: {why}"


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
