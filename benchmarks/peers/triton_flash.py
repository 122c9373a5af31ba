"""Flash attention forward in Triton: the kernel of examples/flash_attention.vx.

Importing this module needs triton. Layout [heads, N, D] contiguous, one program a row block.
"""

import triton
import triton.language as tl


@triton.jit
def flash_forward(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    seq_n,
    scale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """Write softmax(q k^T * scale) v of one head's row block; N a multiple of BM and BN."""
    head = tl.program_id(1).to(tl.int64) * seq_n * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    for j in range(0, seq_n, BN):
        block = head + (j + cols)[:, None] * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(k_ptr + block))) * scale
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        c = tl.exp(m - m_new)
        total = total * c + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v_ptr + block), acc * c[:, None])
        m = m_new
    out = (acc / total[:, None]).to(tl.float16)
    tl.store(o_ptr + head + rows[:, None] * D + d[None, :], out)
