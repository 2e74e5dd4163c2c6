"""Two orders that training needs: python order.py tokens MODEL FOLDER OUTPUT, or python order.py lines CORPUS HELD OUTPUT MOST.

`tokens` copies vocabulary.txt and vocabulary.npy of FOLDER to OUTPUT; words that BERT's vocabulary lacks rank as if half as frequent.
`lines` writes lines of the corpus with at most 14 words in a random order, without those of the held-out packages (HELD).
"""

import json
import random
import sys
from pathlib import Path

import numpy

SEED = 20261124
# Letters and digits, alone and inside words, come first in any case.
LETTERS = 72
MOST_WORDS = 14


def tokens(model, folder, output):
    known = json.loads(Path(model, "tokenizer.json").read_text())["model"]["vocab"]
    names = Path(folder, "vocabulary.txt").read_text().split("\n")[:-1]
    places = sorted(range(LETTERS, len(names)), key=lambda place: place * (1 if names[place] in known else 2))
    order = [*range(LETTERS), *places]
    Path(output).mkdir(exist_ok=True)
    Path(output, "vocabulary.txt").write_text("\n".join(names[place] for place in order) + "\n")
    numpy.save(Path(output, "vocabulary.npy"), numpy.load(Path(folder, "vocabulary.npy"))[order])


def lines(corpus, held, output, most):
    left_out = set(Path(held).read_text().split("\n"))
    found = [line for line in Path(corpus).read_text().split("\n") if line not in left_out and len(line.split()) <= MOST_WORDS]
    random.Random(SEED).shuffle(found)
    Path(output).write_text("\n".join(found[: int(most)]) + "\n")


if __name__ == "__main__":
    {"tokens": tokens, "lines": lines}[sys.argv[1]](*sys.argv[2:])
