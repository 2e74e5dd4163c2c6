"""Chooses the tokens: python vocabulary.py MODEL CORPUS OUTPUT: most frequent first, one per line.

The pieces of BERT's vocabulary that occur in the corpus, and frequent words of the corpus that BERT's would cut into pieces.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from tokenizers import Tokenizer

MOST = 40_000
LEAST_WHOLE = 40


def main():
    model_folder, corpus, output = sys.argv[1:4]
    tokenizer = Tokenizer.from_file(f"{model_folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    known = json.loads(Path(model_folder, "tokenizer.json").read_text())["model"]["vocab"]
    words = Counter()
    with open(corpus) as file:
        for line in file:
            normal = tokenizer.normalizer.normalize_str(line)
            words.update(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal))
    added = {word: count for word, count in words.items() if count >= LEAST_WHOLE and word not in known and re.fullmatch(r"[a-z]{3,20}", word)}
    pieces = Counter()
    for word, count in words.items():
        if word in known or word in added:
            pieces[word] += count
        else:
            for piece in tokenizer.encode(word, add_special_tokens=False).tokens:
                pieces[piece] += count
    pieces.pop("[UNK]", None)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    first = [*letters, *(f"##{letter}" for letter in letters)]
    chosen = first + [piece for piece, _ in pieces.most_common(MOST) if piece not in first]
    Path(output).write_text("\n".join(chosen) + "\n")
    Path(output).with_suffix(".plain").write_text("\n".join(piece.removeprefix("##") for piece in chosen) + "\n")
    print(f"{len(chosen)} tokens, {len(added)} of them whole words that BERT's vocabulary lacks")


if __name__ == "__main__":
    main()
