"""Writes the file that ships: python pack.py OUTPUT STEP TABLE.npz…; see src/memory/embedding/table-embedder.ts.

Several trained tables of the same tokens are averaged: each has learned other chance details. STEP tells how coarse the
int8 values are, in parts of the spread of all: the coarser, the smaller the package.
"""

import hashlib
import struct
import sys
import zlib

import numpy

# Rows get longer by this power of their length: words that say much count more than training gave them.
POWER = 0.3
# A value is rounded away from zero from this part on: zeros compress best.
AWAY = 0.58


def laid_over(table, other):
    """The rows turned into the directions of another table of the same tokens, with a mean length of 1."""
    left, _, right = numpy.linalg.svd(table.T @ other, full_matrices=False)
    turned = table @ (left @ right)
    return turned / numpy.linalg.norm(turned, axis=1).mean()


def main():
    output, step, *files = sys.argv[1:]
    trained = [numpy.load(file) for file in files]
    tokens = trained[-1]["tokens"].tolist()
    if any(one["tokens"].tolist() != tokens for one in trained):
        raise SystemExit("The tables have different tokens.")
    exact = sum(laid_over(one["exact"], trained[-1]["exact"]) for one in trained)
    exact *= numpy.linalg.norm(exact, axis=1, keepdims=True) ** POWER
    # In the directions in which the rows themselves spread most, the last numbers are mostly zero.
    exact = exact @ numpy.linalg.eigh(exact.T @ exact)[1][:, ::-1]
    parts = exact / (float(step) * exact.std())
    rows = (numpy.sign(parts) * numpy.floor(numpy.abs(parts) + 1 - AWAY)).clip(-127, 127).astype(numpy.int8)
    rest = rows.tobytes() + "\n".join(tokens).encode()
    whole = struct.pack("<4sIII", b"AGT1", *rows.shape, zlib.crc32(rest)) + rest
    with open(output, "wb") as file:
        file.write(whole)
    print(f"{rows.shape[0]} rows of {rows.shape[1]}, {len(whole)} bytes, {len(zlib.compress(rest, 9))} compressed, "
          f"values of {rows.std():.2f} about 0, SHA-256 {hashlib.sha256(whole).hexdigest()}")


if __name__ == "__main__":
    main()
