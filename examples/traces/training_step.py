"""Write training_step.RANK.et: a small Chakra trace of one training step on four devices.

Ranks 0 and 1, and ranks 2 and 3, share a layer (the process groups tensor0 and tensor1): they
reduce its activations. All ranks reduce their gradients (the group data) while the device computes
the next layer. Run it in this folder: python training_step.py [FOLDER]
"""

import sys
from pathlib import Path

RANKS = 4
LAYERS = 3
MIB = 1 << 20
COMP, COLL = 4, 7
ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER = 0, 7, 2


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it."""
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def number(field: int, value: int) -> bytes:
    """Return a field with a number."""
    return varint(field << 3) + varint(value)


def block(field: int, content: bytes) -> bytes:
    """Return a field with bytes, a text or a message."""
    return varint(field << 3 | 2) + varint(len(content)) + content


class Trace:
    """The nodes of one rank."""

    def __init__(self) -> None:
        metadata = block(1, b"0.0.4")
        self.content = varint(len(metadata)) + metadata
        self.nodes = 0

    def add(self, name: str, kind: int, after: list[int], micros: int, *attributes: bytes) -> int:
        """Append a node and return its id."""
        identity = self.nodes
        self.nodes += 1
        node = number(1, identity) if identity else b""
        node += block(2, name.encode()) + number(3, kind)
        if after:
            node += block(5, b"".join(map(varint, after)))
        if micros:
            node += number(7, micros)
        node += b"".join(block(10, attribute) for attribute in attributes)
        self.content += varint(len(node)) + node
        return identity

    def compute(self, name: str, micros: int, after: list[int], *, host: bool = False) -> int:
        """Append a computation of the device or of the host."""
        on_host = block(1, b"is_cpu_op") + number(27, int(host))
        return self.add(name, COMP, after, micros, on_host)

    def collective(self, name: str, kind: int, size: int, group: str, after: list[int]) -> int:
        """Append a collective of a process group."""
        return self.add(
            name,
            COLL,
            after,
            0,
            block(1, b"is_cpu_op") + number(27, 0),
            block(1, b"comm_type") + number(9, kind),
            block(1, b"comm_size") + number(9, size),
            block(1, b"pg_name") + block(29, group.encode()),
        )


def training_step(rank: int) -> bytes:
    """Return the file of a rank."""
    trace = Trace()
    tensor = f"tensor{rank // 2}"
    ready: list[int] = []
    launched: list[int] = []
    for layer in range(LAYERS):
        launched = [trace.compute(f"launch {layer}", 5, launched, host=True)]
        forward = trace.compute(f"forward {layer}", 120, [*launched, *ready])
        ready = [trace.collective(f"activations {layer}", ALL_REDUCE, MIB, tensor, [forward])]
    gradients = []
    for layer in reversed(range(LAYERS)):
        backward = trace.compute(f"backward {layer}", 240, ready)
        ready = [backward]
        gradients.append(
            trace.collective(f"gradients {layer}", REDUCE_SCATTER, 4 * MIB, "data", [backward])
        )
    update = trace.compute("update", 30, gradients)
    trace.collective("weights", ALL_GATHER, MIB, "data", [update])
    return trace.content


def main() -> None:
    """Write the files of all ranks."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for rank in range(RANKS):
        (folder / f"training_step.{rank}.et").write_bytes(training_step(rank))


if __name__ == "__main__":
    main()
