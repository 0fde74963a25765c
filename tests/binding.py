"""A turn from Python by ctypes, knowing no header but what is mirrored here: binding.py LIBRARY FILE"""

import ctypes as c
import sys


class Str(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]

    def __str__(self):
        return c.string_at(self.data, self.size).decode() if self.size else ""


class Start(c.Structure):
    """The first members of elelem_turn_update."""

    _fields_ = [("kind", c.c_uint8), ("reason", c.c_uint8), ("index", c.c_uint32), ("choice", c.c_uint32), ("text", Str)]


TEXT, FINISHED = 0, 8
lib = c.CDLL(sys.argv[1])
lib.elelem_size_of.restype = c.c_size_t
lib.elelem_shape_find.restype = c.c_void_p
lib.elelem_version.restype = c.c_char_p
lib.elelem_finish_reason_name.restype = c.c_char_p
lib.elelem_turn_push.argtypes = [c.c_void_p, c.c_void_p, c.c_size_t]


def new(name, at_least=0):
    """Zeroes of the size of a struct, aligned for any object."""
    size = lib.elelem_size_of(name)
    assert size >= max(at_least, 1), name
    return (c.c_longdouble * (size // c.sizeof(c.c_longdouble) + 1))()


assert c.sizeof(Str) == lib.elelem_size_of(b"elelem_str")
desc, turn, update = new(b"elelem_turn_desc"), new(b"elelem_turn"), new(b"elelem_turn_update", c.sizeof(Start))
c.cast(desc, c.POINTER(c.c_void_p))[0] = lib.elelem_shape_find(b"chat")
assert lib.elelem_turn_init(turn, desc) == 0
body = open(sys.argv[2], "rb").read()
lent = c.create_string_buffer(body, len(body))
text, end = "", None
lib.elelem_turn_push(turn, lent, len(body))
while lib.elelem_turn_next(turn, update) == 0:
    start = c.cast(update, c.POINTER(Start)).contents
    if start.kind == TEXT:
        text += str(start.text)
    if start.kind == FINISHED:
        end = lib.elelem_finish_reason_name(start.reason).decode()
lib.elelem_turn_free(turn)
print(text)
print(end)
