"""Just enough of JSON Schema to hold a document against `schema.json`."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], path: str = "$") -> list[str]:
    """What is wrong with a value; empty where it conforms."""
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, path)
    if "const" in schema and value != schema["const"]:
        return [f"{path}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{path}: {value!r} is not among {schema['enum']}"]
    for word, most in (("anyOf", len(schema.get("anyOf", ()))), ("oneOf", 1)):
        if word in schema:
            fits = sum(not faults(value, one, root, path) for one in schema[word])
            return [] if 1 <= fits <= most else [f"{path}: {fits} of {word} fit {value!r}"]
    kind = schema.get("type")
    if kind is not None:
        wrong = not isinstance(value, TYPES[kind])
        if wrong or (kind == "integer" and isinstance(value, bool)):
            return [f"{path}: {value!r} is no {kind}"]
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return [f"{path}: {value!r} does not match"]
    if isinstance(value, list):
        items = schema.get("items", {})
        return [f for i, one in enumerate(value) for f in faults(one, items, root, f"{path}[{i}]")]
    return _object(value, schema, root, path) if isinstance(value, dict) else []


def _object(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], path: str
) -> list[str]:
    known = schema.get("properties", {})
    found = [
        f"{path}: {name} is missing" for name in schema.get("required", ()) if name not in value
    ]
    for name, one in value.items():
        extra = schema.get("additionalProperties", True)
        inner = known.get(name, extra)
        if inner is False:
            found.append(f"{path}: {name} is not in the schema")
        elif inner is not True:
            found += faults(one, inner, root, f"{path}.{name}")
    return found
