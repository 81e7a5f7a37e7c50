"""Random designs and truths: every mechanism, cover, form, bin and merged value there is."""

import math
from collections.abc import Callable, Sequence
from random import Random

import numpy as np

from frankly import (
    Attribute,
    Crosswise,
    Design,
    Flip,
    Forced,
    Form,
    Group,
    Kuk,
    Mangat,
    Matrix,
    Triangular,
    Uniform,
    Unrelated,
)
from frankly.errors import DesignError
from frankly.mechanism import Mechanism, Wish

__all__ = ["random_design", "random_truth"]

Questions = Sequence[Attribute]
Make = Callable[[Questions, Random], Mechanism | Wish]

# Names and words that a browser's objects have a meaning of their own for are welcome here.
NAMES = ("ill", "smokes", "age", "voted for", "größe", "constructor", "__proto__", "7", "toString")
CUTS = range(-40, 400)
LABELS = ("no", "yes", "often", "weiß nicht", "constructor", "__proto__", "0", "1.0", "null")


def random_design(random: Random) -> Design:
    """Make a design of one to five attributes in one to three forms."""
    names = random.sample(NAMES, random.randint(1, 5))
    attributes = [random_attribute(name, random) for name in names]
    lengths = [len(names), *(random.randint(1, len(names)) for _ in range(random.randint(0, 2)))]
    asked = [random.sample(names, length) for length in lengths]
    random.shuffle(asked)
    known = {attribute.name: attribute for attribute in attributes}
    forms = [random_form([known[name] for name in part], random) for part in asked]
    return Design(attributes, forms=forms, accept_infinite_epsilon=True)


def random_attribute(name: str, random: Random) -> Attribute:
    """Make an attribute of two to five values; some with bins, some with merged values."""
    kind, size = random.randrange(5), random.randint(2, 5)
    if kind == 0:
        unit = random.choice((1, 4, 10))
        return Attribute(name, bins=[cut / unit for cut in sorted(random.sample(CUTS, size - 1))])
    values = random.sample(LABELS, size)
    finer = [label for label in LABELS if label not in values][: random.randint(1, 4)]
    merged = {word: random.choice(values) for word in finer} if kind == 1 else None
    return Attribute(name, values, merged=merged)


def random_truth(design: Design, random: Random) -> dict[str, str | float]:
    """Answer every question: a value, a finer one, or a number near a cut, also as text."""
    return {attribute.name: random_answer(attribute, random) for attribute in design.attributes}


def random_answer(attribute: Attribute, random: Random) -> str | float:
    """Answer one question."""
    if attribute.bins is None or random.randrange(4) == 0:
        return random.choice([*attribute.values, *attribute.merged])
    number = random.choice(attribute.bins) + random.choice((-1e-9, 0, 0, 0.5, -300, 1e6))
    return random.choice((number, number, str(number)))


def random_form(questions: Questions, random: Random) -> Form:
    """Hide the first questions in up to three groups; the others are clear."""
    hidden = random.randint(1, len(questions))
    ends = sorted({*random.choices(range(1, hidden + 1), k=random.randint(0, 2)), hidden})
    parts = zip([0, *ends], ends, strict=False)
    groups = [random_group(questions[start:end], random) for start, end in parts]
    clear = [question.name for question in questions[hidden:]]
    return Form(groups, clear, random.choice((1, 1, 2, 3, 7, 1000, 10**9)))


def random_group(questions: Questions, random: Random) -> Group:
    """Hide some questions by any device that fits them."""
    names, domains = [q.name for q in questions], [q.values for q in questions]
    devices = fitting(questions)
    while True:
        try:
            device = random.choice(devices)(questions, random)
            device.settle(names, domains)
        except DesignError:
            continue
        return Group(names, device)


def fitting(questions: Questions) -> list[Make]:
    """List the devices that may fit these questions."""
    devices: list[Make] = [uniform, by_attribute, joint]
    binary = all(question.size == 2 for question in questions)
    if binary:
        devices += [flip, flip]
    if len(questions) == 1:
        devices += [forced, matrix, matrix]
    if len(questions) == 1 and binary:
        devices += [from_the_literature]
    return devices


def theta(random: Random) -> str | float:
    """Give a theta: decimal, fraction that needs rejection, or the finest there is."""
    q = random.choice((3, 6, 7, 1000, 2**31 + 1, 2**32 - 1))
    fine = f"{random.randint(1, q)}/{q}"
    return random.choice((random.randint(1, 19) / 20, fine, "1", "1/3", random.uniform(0.01, 1)))


def weights(size: int, random: Random) -> list[float]:
    """Give weights: small, with zeros, decimal, or very large."""
    top = random.choice((1, 3, 100, 2**29))
    return [random.randint(0, top) for _ in range(size - 1)] + [random.choice((1, 2, 0.5))]


def uniform(_: Questions, random: Random) -> Mechanism | Wish:
    """Make all substitutes equally likely, at a theta or for an epsilon."""
    if random.getrandbits(1):
        return Uniform(theta(random))
    return Uniform(epsilon=random.uniform(0.1, 5))


def by_attribute(questions: Questions, random: Random) -> Mechanism:
    """Give each question a cover, named in any order."""
    shuffled = random.sample(questions, len(questions))
    cover = {question.name: weights(question.size, random) for question in shuffled}
    return Unrelated(theta(random), cover, asked=random.getrandbits(2) == 0)


def joint(questions: Questions, random: Random) -> Mechanism:
    """Give all questions one cover."""
    sizes = [question.size for question in questions]
    cover = np.array(weights(math.prod(sizes), random)).reshape(sizes)
    return Unrelated(theta(random), cover, asked=random.getrandbits(2) == 0)


def flip(_: Questions, random: Random) -> Mechanism:
    """Turn all answers round, sometimes always."""
    return Flip(random.choice((theta(random), 0.0)))


def forced(questions: Questions, random: Random) -> Wish:
    """Force the last answer."""
    return Forced({questions[0].values[-1]: f"{random.randint(1, 5)}/6"})


def matrix(questions: Questions, random: Random) -> Mechanism:
    """Make a channel, sometimes with more reports than truths."""
    size = questions[0].size
    seen = size + random.choice((0, 0, 1, 2))
    named = seen > size or random.getrandbits(1)
    reports = [f"card {i}" for i in range(seen)] if named else None
    return Matrix([weights(seen, random) for _ in range(size)], reports)


def from_the_literature(_: Questions, random: Random) -> Mechanism:
    """Choose a device with an author."""
    chance = random.randint(1, 19) / 20
    cards = Kuk(chance, 0.37, random.randint(1, 4))
    return random.choice((cards, Mangat(chance), Crosswise(chance), Triangular(chance)))
