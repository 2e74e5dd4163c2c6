"""Trains the table: python train.py FOLDER [--rows N] [--numbers N] [--epochs N] … writes FOLDER/table.npz and says how good it is.

FOLDER holds train.txt, train.npy (the teacher's vectors of its lines), dev.txt, dev.npy, and what `vocabulary.py` wrote:
vocabulary.txt, vocabulary.npy (the teacher's vectors of the tokens by themselves).
"""

import argparse
import json
import re
import time
from pathlib import Path

import numpy
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch.nn.functional import normalize

SEED = 20261123
LONGEST = 96
QUERIES = 2_000
CONTENT = re.compile(r"[a-z]{4,}")


def tokenizer_of(tokens):
    tokenizer = Tokenizer(models.WordPiece({token: row for row, token in enumerate([*tokens, "[UNK]"])}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class Bags:
    """Texts as the numbers of their tokens, all in one array."""

    def __init__(self, tokenizer, texts):
        unknown = tokenizer.token_to_id("[UNK]")
        lists = []
        for start in range(0, len(texts), 20_000):
            for coded in tokenizer.encode_batch(texts[start : start + 20_000], add_special_tokens=False):
                ids = coded.ids[:LONGEST]
                lists.append([id_ for id_ in ids if id_ != unknown] if unknown in ids else ids)
        self.lengths = torch.tensor([len(ids) for ids in lists])
        self.starts = torch.cat([torch.zeros(1, dtype=torch.long), self.lengths.cumsum(0)[:-1]])
        self.flat = torch.tensor(numpy.concatenate([numpy.array(ids, dtype=numpy.int32) for ids in lists]))

    def of(self, places):
        """The tokens of some texts, and where each text begins."""
        lengths = self.lengths[places]
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
        inside = torch.arange(int(lengths.sum())) - offsets.repeat_interleave(lengths)
        return self.flat[self.starts[places].repeat_interleave(lengths) + inside].long(), offsets


def pooled(rows, bags, places):
    tokens, offsets = bags.of(places)
    return normalize(torch.nn.functional.embedding_bag(tokens, rows, offsets, mode="mean"), dim=1)


def development(texts, teacher):
    """Questions whose nearest text, as the teacher has it, shares no word of four letters with them."""
    words = [frozenset(CONTENT.findall(text.lower())) for text in texts]
    near = teacher @ teacher.T
    near.fill_diagonal_(-1)
    found = []
    for place, (value, other) in enumerate(zip(*(part.tolist() for part in near.max(1)))):
        if value >= 0.45 and not words[place] & words[other] and words[place] and words[other]:
            found.append((place, other))
    return found[:QUERIES]


def agreement(rows, bags, pairs):
    """How often the teacher's nearest text is the table's first, and among its first five."""
    vectors = pooled(rows, bags, torch.arange(len(bags.lengths)))
    asked = torch.tensor([one for one, _ in pairs])
    near = vectors[asked] @ vectors.T
    near[torch.arange(len(asked)), asked] = -1
    best = near.topk(5).indices
    right = best == torch.tensor([other for _, other in pairs])[:, None]
    return right[:, 0].float().mean().item(), right.any(1).float().mean().item()


def continue_from(file, tokens, first):
    """Puts the rows of an earlier table into those of the same tokens, turned back into the teacher's directions.

    A table that doesn't tell its directions is laid over the teacher's vectors of its tokens.
    """
    earlier = numpy.load(file)
    places = {token: row for row, token in enumerate(tokens)}
    pairs = [(row, places[token]) for row, token in enumerate(earlier["tokens"].tolist()) if token in places]
    exact = torch.tensor(earlier["exact"])[[one for one, _ in pairs]]
    here = [other for _, other in pairs]
    if "basis" in earlier:
        turned = exact @ torch.tensor(earlier["basis"]).T
    else:
        left, _, right = torch.linalg.svd(first[here].T @ exact, full_matrices=False)
        turned = exact @ (left @ right).T
    print("turned back", torch.nn.functional.cosine_similarity(turned, first[here], dim=1).mean().item(), flush=True)
    first[here] = turned


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--numbers", type=int, default=256)
    options.add_argument("--rows", type=int, default=15_500)
    options.add_argument("--epochs", type=int, default=4)
    options.add_argument("--batch", type=int, default=1_024)
    options.add_argument("--rate", type=float, default=0.01)
    options.add_argument("--soft", type=float, default=1.0)
    options.add_argument("--temperature", type=float, default=0.05)
    options.add_argument("--step", type=float, default=0.5, help="of the spread of all values: how coarse the int8 values are")
    options.add_argument("--sentences", type=int, default=10**9)
    options.add_argument("--parts", nargs="+", default=["train"])
    options.add_argument("--start", type=Path, help="an earlier table.npz to continue from")
    options.add_argument("--name", default="table")
    chosen = options.parse_args()
    folder = chosen.folder
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    tokens = (folder / "vocabulary.txt").read_text().split("\n")[:-1]
    alone = torch.tensor(numpy.load(folder / "vocabulary.npy"), dtype=torch.float32)
    dev_teacher = torch.tensor(numpy.load(folder / "dev.npy"), dtype=torch.float32)
    dev = (folder / "dev.txt").read_text().split("\n")[: len(dev_teacher)]
    texts, vectors = [], []
    for part in chosen.parts:
        found = numpy.load(folder / f"{part}.npy", mmap_mode="r")
        taught = numpy.abs(found[:, :8]).sum(1) > 0
        lines = (folder / f"{part}.txt").read_text().split("\n")
        texts += [lines[place] for place in numpy.flatnonzero(taught)]
        vectors.append(found[taught])
    teacher = torch.tensor(numpy.concatenate(vectors)[: chosen.sentences])
    texts = texts[: chosen.sentences]

    tokens, alone = tokens[: chosen.rows], alone[: chosen.rows]
    tokenizer = tokenizer_of(tokens)
    bags, dev_bags = Bags(tokenizer, texts), Bags(tokenizer, dev)
    full = torch.nonzero(bags.lengths > 0)[:, 0]
    counts = torch.bincount(bags.flat.long(), minlength=len(tokens)).float()
    pairs = development(dev, dev_teacher)
    print(f"{len(full)} texts, {len(tokens)} tokens, {len(pairs)} questions", flush=True)

    # The directions that hold most of the teacher's vectors; their mean stays, because cosines are compared.
    some = teacher[:200_000].float()
    _, directions = torch.linalg.eigh(some.T @ some)
    basis = directions.flip(1)[:, : chosen.numbers].contiguous()
    share = (counts + 1) / counts.sum()
    first = alone * (1e-3 / (1e-3 + share))[:, None]
    if chosen.start:
        continue_from(chosen.start, tokens, first)
    rows = torch.nn.Parameter(first @ basis)
    print("before", agreement(rows.detach(), dev_bags, pairs), flush=True)

    optimizer = torch.optim.Adam([rows], lr=chosen.rate)
    batches = len(full) // chosen.batch
    total, done, began = chosen.epochs * batches, 0, time.time()
    coarse = None
    for epoch in range(chosen.epochs):
        order = full[torch.randperm(len(full))]
        if epoch == chosen.epochs - 1 and chosen.step > 0:
            coarse = chosen.step * rows.detach().std().item()
        for batch in range(batches):
            optimizer.param_groups[0]["lr"] = chosen.rate * min(1, (done + 1) / 100) * max(0.02, 1 - done / total)
            places = order[batch * chosen.batch : (batch + 1) * chosen.batch]
            used = rows if coarse is None else rows + (torch.round(rows.detach() / coarse) * coarse - rows.detach())
            found, wanted = pooled(used, bags, places), normalize(teacher[places].float() @ basis, dim=1)
            near = (found @ found.T) / chosen.temperature
            should = (wanted @ wanted.T) / chosen.temperature
            near.fill_diagonal_(-1e4)
            should.fill_diagonal_(-1e4)
            soft = torch.nn.functional.kl_div(near.log_softmax(1), should.softmax(1), reduction="batchmean")
            loss = (1 - (found * wanted).sum(1)).mean() + chosen.soft * soft
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            done += 1
            if done % 50 == 0:
                print(f"{done} of {total}, loss {loss.item():.4f} ({soft.item():.4f}), {time.time() - began:.0f} s", flush=True)
        numpy.savez(folder / f"{chosen.name}.npz", rows=numpy.zeros((1, 1), dtype=numpy.int8), tokens=numpy.array(tokens), exact=rows.detach().numpy(), basis=basis.numpy())
        print("epoch", epoch + 1, agreement(rows.detach(), dev_bags, pairs), flush=True)
    final = rows.detach()
    coarse = coarse or final.std().item() * 0.02
    whole = torch.round(final / coarse).clamp(-127, 127).to(torch.int8)
    print("rounded", agreement(whole.float(), dev_bags, pairs), flush=True)
    numpy.savez(folder / f"{chosen.name}.npz", rows=whole.numpy(), tokens=numpy.array(tokens), exact=final.numpy(), basis=basis.numpy())
    print(json.dumps({key: str(value) for key, value in vars(chosen).items()}))


if __name__ == "__main__":
    main()
