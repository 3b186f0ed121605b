"""What was freed is overwritten, so that no buffer that is written unfilled holds an earlier request's words."""

import ctypes
import sys

from governance.index import chroma

SIZE = 50_000


def test_memory_that_comes_back_holds_nothing_of_what_it_held():
    assert chroma.M_PERTURB == -6
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    words = b"sentinel of an earlier request " * (SIZE // 31)
    first = libc.malloc(ctypes.c_size_t(SIZE))
    ctypes.memmove(first, words, len(words))

    libc.free(first)
    again = libc.malloc(ctypes.c_size_t(SIZE))

    held = ctypes.string_at(again, SIZE)
    libc.free(again)
    assert b"earlier request" not in held or sys.platform != "linux"
