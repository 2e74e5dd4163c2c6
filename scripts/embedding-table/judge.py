"""The development set, and how good packed tables are by it.

python judge.py lines HELD OUTPUT.txt writes 12,000 English sentences of the held-out packages; teach.py then writes their vectors.
python judge.py tables LINES.txt LINES.npy TABLE.bin… tells for each table how often the teacher's nearest of 6,000 texts is among
its first five, and its first: of texts that share no word with that one beyond grammar, and of all.
"""

import random
import re
import struct
import sys
from pathlib import Path

import numpy
import torch

from corpus import QUESTIONS
from train import CONTENT, Bags, agreement, tokenizer_of

SEED = 20261124
MOST = 12_000
ONE = 6_000
LEAST = 0.45
LEAST_OF_ALL = 0.5
# The words of grammar that show that a line is English; some of them are words of other languages, too.
COMMON = frozenset(
    "the a an of to in is are be for and or that this it with as on by if not can you when which from will has have at was were use used all any "
    "only should must may your its their then than there how what where who do does".split()
)
SIGNS = COMMON - frozenset("a an as at all do in on who".split())
GRAMMAR = COMMON | frozenset(
    "also into more been such some other these they them about between done each most same using would could after before because being both "
    "here like make made many much need over since through under very well want while".split()
)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
CODE = re.compile(r"[@{}\[\]<>_|=\\]|\w\.\w+\(|//|::")


def is_english(line):
    words = [word.lower() for word in WORD.findall(line)]
    grammar = sum(word in COMMON for word in words)
    return (
        line.isascii()
        and 4 <= len(words) <= 30
        and grammar >= 0.2 * len(words)
        and len(SIGNS.intersection(words)) >= 2
        and not CODE.search(line)
        and sum(map(str.isupper, line)) < 0.12 * len(line)
        and not line.startswith(tuple(f"{question} " for question in QUESTIONS))
    )


def write_lines(held, output):
    found = [line for line in dict.fromkeys(Path(held).read_text().split("\n")) if is_english(line)]
    random.Random(SEED).shuffle(found)
    Path(output).write_text("\n".join(found[:MOST]) + "\n")


def asked(texts, teacher):
    """Texts with the teacher's nearest other: those without a word in common, and all that are near."""
    words = [frozenset(CONTENT.findall(text.lower())) - GRAMMAR for text in texts]
    near = teacher @ teacher.T
    near.fill_diagonal_(-1)
    values, others = (part.tolist() for part in near.max(1))
    pairs = [(place, other) for place, other in enumerate(others) if words[place] and words[other]]
    apart = [(one, other) for one, other in pairs if values[one] >= LEAST and not words[one] & words[other]]
    return apart, [(one, other) for one, other in pairs if values[one] >= LEAST_OF_ALL]


def rows_of(file):
    _, count, numbers, _ = struct.unpack("<4sIII", file[:16])
    size = 16 + count * numbers
    rows = numpy.frombuffer(file[16:size], numpy.int8).reshape(count, numbers)
    return torch.tensor(rows).float(), file[size:].decode().split("\n")


def judge(lines, vectors, *tables):
    torch.set_num_threads(1)
    teacher = torch.tensor(numpy.load(vectors)).float()
    texts = Path(lines).read_text().split("\n")[: len(teacher)]
    parts = [(texts[at : at + ONE], asked(texts[at : at + ONE], teacher[at : at + ONE])) for at in range(0, len(texts), ONE)]
    for table in tables:
        rows, tokens = rows_of(Path(table).read_bytes())
        tokenizer = tokenizer_of(tokens)
        for part, (apart, near) in parts:
            bags = Bags(tokenizer, part)
            for name, pairs in (("no word in common", apart), ("all", near)):
                first, five = agreement(rows, bags, pairs)
                print(f"{table}, {name}, {len(pairs)} texts: @5 {five:.3f}, @1 {first:.3f}")


if __name__ == "__main__":
    {"lines": write_lines, "tables": judge}[sys.argv[1]](*sys.argv[2:])
