"""What each GPU target can hold and do, as data with a source for every number.

`load("sm_90a")` gives the limits of one target string, `places` the memory spaces and topologies
that it brings, `published_places` those that exist without a target, `table` and `sources` the
same facts for a reader. Sizes are bytes unless a name says otherwise.
"""

from vxproof.target.catalog import (
    ALL_TARGETS,
    KNOWN_TARGETS,
    UnknownTarget,
    load,
    sources,
)
from vxproof.target.facts import Conflict, Fact, FactValue, Grade, Source
from vxproof.target.places import (
    Edge,
    MachinePlaces,
    Space,
    Topology,
    places,
    published_places,
)
from vxproof.target.table import Table, table
from vxproof.target.target import (
    CpAsyncLimits,
    MbarrierLimits,
    MmaShape,
    SetmaxnregLimits,
    Target,
    Tcgen05Shapes,
    TensorCopyLimits,
    TmemLimits,
    WgmmaShapes,
)

__all__ = [
    "ALL_TARGETS",
    "KNOWN_TARGETS",
    "Conflict",
    "CpAsyncLimits",
    "Edge",
    "Fact",
    "FactValue",
    "Grade",
    "MachinePlaces",
    "MbarrierLimits",
    "MmaShape",
    "SetmaxnregLimits",
    "Source",
    "Space",
    "Table",
    "Target",
    "Tcgen05Shapes",
    "TensorCopyLimits",
    "TmemLimits",
    "Topology",
    "UnknownTarget",
    "WgmmaShapes",
    "load",
    "places",
    "published_places",
    "sources",
    "table",
]
