"""Strategies that draw trees such as the parser makes, all with one meaningless span."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from vxproof.diagnostics import Span
from vxproof.frontend import ast

SPAN = Span("generated", 0, 0, 1, 1)

_WORDS = ["a", "b", "x1", "_t", "resident", "grid", "semantics", "warps", "pipelined", "role", "on"]
_WORDS += ["invariant", "comptime", "transfer", "f32", "pad", "block"]
words = st.sampled_from(_WORDS)
names = st.builds(ast.Name, words, st.just(SPAN))
# Functions have names of their own: `f<1, 2>(x)` of a declared function is a call.
function_names = st.builds(ast.Name, st.sampled_from(["main", "stage"]), st.just(SPAN))
suffixes = st.sampled_from([None, "i32", "u64"])
float_suffixes = st.sampled_from([None, "f16", "bf16", "f64"])
memories = st.builds(ast.MemoryRef, words, st.just(SPAN))
topologies = st.builds(ast.TopologyRef, words, st.just(SPAN))
strings = st.builds(ast.StrLit, st.text(max_size=6), st.just(SPAN))

exprs: st.SearchStrategy[ast.Expr] = st.deferred(lambda: st.one_of(*[_leaves] * 5, _inner))
blocks: st.SearchStrategy[ast.Block] = st.deferred(lambda: _blocks)
types: st.SearchStrategy[ast.Type] = st.deferred(lambda: _types)


def _some(
    of: st.SearchStrategy[ast.Expr], least: int = 0
) -> st.SearchStrategy[tuple[ast.Expr, ...]]:
    return st.lists(of, min_size=least, max_size=2).map(tuple)


_leaves: st.SearchStrategy[ast.Expr] = st.one_of(
    st.builds(ast.Var, words, st.just(SPAN)),
    st.builds(ast.IntLit, st.integers(0, 2**64 - 1), suffixes, st.just(SPAN)),
    st.builds(
        ast.FloatLit,
        st.floats(0, allow_infinity=False, allow_nan=False),
        float_suffixes,
        st.just(SPAN),
    ),
    st.just(ast.FloatLit(float("inf"), None, SPAN)),
    st.builds(ast.BoolLit, st.booleans(), st.just(SPAN)),
    st.builds(ast.Path, st.tuples(words, words), st.just(SPAN)),
    memories,
    topologies,
)
_named = st.lists(st.builds(ast.NamedArg, names, exprs, st.just(SPAN)), max_size=1).map(tuple)
_layouts: st.SearchStrategy[ast.Layout] = st.one_of(
    st.builds(ast.TiledLayout, _some(exprs, 1), st.just(SPAN)),
    st.builds(ast.SwizzledLayout, exprs, st.just(SPAN)),
    st.just(ast.StridedLayout(SPAN)),
)
tensor_types = st.builds(
    ast.TensorType,
    names,
    st.none() | _some(exprs, 1),
    st.none() | memories,
    st.none() | _layouts,
    st.none() | st.builds(ast.ScalePlane, names, exprs, st.just(SPAN)),
    st.just(SPAN),
)
_types: st.SearchStrategy[ast.Type] = st.one_of(
    st.builds(ast.NamedType, words, st.just(SPAN)),
    tensor_types,
    st.builds(ast.RefType, types, st.booleans(), st.just(SPAN)),
)
ifs: st.SearchStrategy[ast.If] = st.deferred(
    lambda: st.builds(ast.If, exprs, blocks, st.one_of(st.none(), blocks, ifs), st.just(SPAN))
)
_callees = st.builds(ast.Path, st.lists(words, min_size=1, max_size=2).map(tuple), st.just(SPAN))
_inner: st.SearchStrategy[ast.Expr] = st.one_of(
    st.builds(ast.ListLit, _some(exprs), st.just(SPAN)),
    st.builds(ast.Call, _callees, st.none() | _some(exprs, 1), _some(exprs), _named, st.just(SPAN)),
    st.builds(
        ast.Call,
        st.just(ast.Path(("print",), SPAN)),
        st.none(),
        _some(st.one_of(strings, exprs)),
        st.just(()),
        st.just(SPAN),
    ),
    st.builds(ast.MethodCall, exprs, names, _some(exprs), _named, st.just(SPAN)),
    st.builds(ast.Index, exprs, exprs, st.just(SPAN)),
    st.builds(ast.TensorNew, tensor_types, _some(exprs), st.just(SPAN)),
    st.builds(ast.TensorUninit, tensor_types, st.just(SPAN)),
    st.builds(ast.Unary, st.sampled_from(ast.UnaryOp), exprs, st.just(SPAN)),
    st.builds(ast.Borrow, exprs, st.booleans(), st.just(SPAN)),
    st.builds(ast.Cast, exprs, types, st.just(SPAN)),
    st.builds(
        ast.Binary, st.sampled_from(ast.BinaryOp), exprs, exprs, st.just(SPAN), st.just(SPAN)
    ),
    ifs,
)
statements: st.SearchStrategy[ast.Stmt] = st.one_of(
    st.builds(
        ast.Let, names, st.booleans(), st.none() | memories, st.none() | types, exprs, st.just(SPAN)
    ),
    st.builds(ast.Assign, exprs, st.sampled_from(ast.AssignOp), exprs, st.just(SPAN)),
    st.builds(ast.ExprStmt, exprs, st.just(SPAN)),
    st.builds(ast.For, names, exprs, exprs, st.none() | exprs, _some(exprs), blocks, st.just(SPAN)),
    st.builds(ast.Return, st.none() | exprs, st.just(SPAN)),
    st.builds(ast.Assert, exprs, st.none() | strings, st.booleans(), st.just(SPAN)),
    st.builds(
        ast.Spawn,
        topologies,
        st.none() | exprs,
        st.none() | _some(exprs),
        st.none() | st.lists(names, max_size=2).map(tuple),
        blocks,
        st.just(SPAN),
    ),
    st.builds(ast.Role, names, st.none() | exprs, blocks, st.just(SPAN)),
    st.builds(ast.Scope, blocks, st.just(SPAN)),
)
_blocks: st.SearchStrategy[ast.Block] = st.builds(
    ast.Block,
    st.lists(statements, max_size=2).map(tuple),
    st.one_of(st.none(), st.none(), exprs),
    st.just(SPAN),
)
_numbers = st.builds(
    lambda digits, places: Fraction(digits, 10**places),
    st.integers(-(10**9), 10**9),
    st.integers(0, 4),
)
_quantities = st.builds(
    ast.Quantity, _numbers, st.sampled_from(["", "KB", "GiB", "GB/s", "GHz"]), st.just(SPAN)
)
_costs = st.builds(ast.Quantity, _numbers, st.just(""), st.just(SPAN))
_counts = st.one_of(
    st.builds(ast.IntLit, st.integers(0, 10**9), st.none(), st.just(SPAN)),
    st.builds(ast.Var, words, st.just(SPAN)),
)
_plain_words = st.lists(names, max_size=2).map(tuple)
# Between two names `on` is the keyword, and no word of an edge.
_edge_words = st.lists(names.filter(lambda name: name.text != "on"), max_size=2).map(tuple)
items: st.SearchStrategy[ast.Item] = st.one_of(
    st.builds(
        ast.Function,
        function_names,
        st.lists(st.builds(ast.ConstParam, names, types, st.just(SPAN)), max_size=2).map(tuple),
        st.lists(st.builds(ast.Param, names, types, st.just(SPAN)), max_size=2).map(tuple),
        st.none() | topologies,
        st.none() | types,
        st.lists(
            st.builds(ast.Contract, st.sampled_from(ast.ContractKind), exprs, st.just(SPAN)),
            max_size=2,
        ).map(tuple),
        blocks,
        st.just(SPAN),
    ),
    st.builds(
        ast.MemoryItem,
        name=names,
        within=st.none() | memories,
        capacity=st.none() | _quantities,
        granule=st.none() | _quantities,
        managed=st.none() | names,
        scope=st.none() | names,
        addressable_by=st.none() | _plain_words,
        tile=st.none() | _some(exprs, 1),
        bandwidth=st.none() | _quantities,
        clock=st.none() | _quantities,
        replicas=st.none() | _counts,
        shared_with=st.none() | st.builds(ast.SharedWith, names, exprs, st.just(SPAN)),
        crossing=st.none() | names,
        overcommit=st.booleans(),
        span=st.just(SPAN),
    ),
    st.builds(
        ast.TopologyItem,
        names,
        st.none() | memories,
        st.none() | st.lists(memories, max_size=2).map(tuple),
        st.none() | names | st.just(ast.Name("sm 90", SPAN)),
        st.none() | _plain_words,
        st.lists(
            st.builds(
                ast.TransferEdge,
                memories,
                memories,
                st.none() | _costs,
                _edge_words,
                st.just(SPAN),
            ),
            max_size=2,
        ).map(tuple),
        st.just(SPAN),
    ),
    st.builds(ast.Use, st.just(ast.Path(("std", "math", "exp"), SPAN)), st.just(SPAN)),
)
programs = st.builds(ast.Program, st.lists(items, min_size=1, max_size=2).map(tuple), st.just(SPAN))
