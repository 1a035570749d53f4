"""A file of settings that a user wrote, as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from sidecar.settings.input_file import fault, refusal

_MERGE = "tag:yaml.org,2002:merge"


class _BadValueError(yaml.constructor.ConstructorError):
    """A value that is not what it is written as, such as 2026-13-45."""


class _TwiceError(yaml.constructor.ConstructorError):
    """A key that stands twice, of which one would be lost."""


class _Loader(yaml.SafeLoader):
    """Values that Python refuses and keys that stand twice are errors of the file, with their place."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, AttributeError, ArithmeticError) as error:
            raise _BadValueError(problem_mark=node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in seen:
                    raise _TwiceError(problem_mark=key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, option: str = "") -> Any:
    """What stands in the file, None where nothing does. Raises ConfigError naming `option`, the file and the line, never what stands there."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise fault(path, error, "give a readable YAML file", option) from error
    except UnicodeDecodeError as error:
        raise refusal(path, "not UTF-8", "give a YAML file in UTF-8", option) from error
    try:
        return _Loader(text).get_single_data()
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        if isinstance(error, _BadValueError):
            problem, mend = (
                "a value that is not what it looks like, such as a date that does not exist",
                "a text stands in quotes",
            )
        elif isinstance(error, _TwiceError):
            problem, mend = "a key that stands there already", "give each key once"
        else:
            problem, mend = "not valid YAML", "check indentation and quotes"
        raise refusal(path, problem, mend, option, line=mark and mark.line + 1) from error
