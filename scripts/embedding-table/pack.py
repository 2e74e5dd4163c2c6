"""Writes the file that ships: python pack.py table.npz embedding-table.bin [STEP] [ROWS]; see src/memory/embedding/table-embedder.ts.

STEP tells how coarse the int8 values are, in parts of the spread of all: the coarser, the smaller the package.
"""

import struct
import sys
import zlib

import numpy

trained = numpy.load(sys.argv[1])
rows, tokens = trained["rows"], trained["tokens"].tolist()
if len(sys.argv) > 3:
    most = int(sys.argv[4]) if len(sys.argv) > 4 else len(tokens)
    exact, tokens = trained["exact"][:most], tokens[:most]
    rows = numpy.clip(numpy.round(exact / (float(sys.argv[3]) * exact.std())), -127, 127).astype(numpy.int8)
rest = rows.tobytes() + "\n".join(tokens).encode()
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<4sIII", b"AGT1", *rows.shape, zlib.crc32(rest)) + rest)
print(f"{rows.shape[0]} rows of {rows.shape[1]}, {16 + len(rest)} bytes, {len(zlib.compress(rest, 9))} compressed, "
      f"values of {rows.std():.2f} about 0, {len(numpy.unique(rows))} different ones")
