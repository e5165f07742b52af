"""Draw the pictures of docs/guide.md: one toy problem, step by step.

python docs/toy.py        # into docs/images/toy, in about half a minute
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from freemetric import FreeEnergyClassifier
from freemetric.energies import Confinement, Diagonal, NCAEnergy
from freemetric.mc import Annealing, Constant, ElementMove

COLORS = ListedColormap(["#1A7FC1", "#E69F00", "#009E73"])
CONFINEMENT = 3e-4
TEMPERATURE = 3e-3
N_REPLICAS = 24
REACH = (4.5, 24)
HERE = Path(__file__).parent


def bands(n_samples, seed):
    """Return samples of three classes in four bands, and their classes.

    The first feature has large values and says little, the second small ones and much.
    """
    rng = np.random.default_rng(seed)
    band = np.arange(n_samples) % 4
    first = 0.35 * band + 0.7 * rng.standard_normal(n_samples)
    second = 0.25 * band + 0.09 * rng.standard_normal(n_samples)
    return np.column_stack([first, second]), np.array([0, 1, 2, 0])[band]


X, y = bands(160, seed=2)
X_test, y_test = bands(2000, seed=1)


def energy_of(rows):
    """Return the confined energy of stacks (R, 1, 2) of stretches on samples."""
    energy = Diagonal(NCAEnergy()) + CONFINEMENT * Diagonal(Confinement())
    return energy.bind(X[rows], y[rows])


def run(energy, temperature, n_replicas=1, n_steps=200, seed=0):
    """Return the stretches (n_steps, R, 2) that a Monte Carlo run visits."""
    sampler = Annealing(Constant(temperature), ElementMove(1.0), n_steps=n_steps)
    start = np.ones((n_replicas, 1, 2))
    steps = sampler.iterate(np.random.default_rng(seed), energy, start)
    return np.abs([state.A[:, 0] for state, _ in steps])


def neighbors_of(point, stretch, k=5):
    """Return the k nearest samples of a point under stretched features."""
    squares = (((X - point) * stretch) ** 2).sum(axis=1)
    return np.argsort(squares)[:k]


def scatter(ax, stretch=(1, 1)):
    ax.scatter(*(X * stretch).T, c=y, cmap=COLORS, s=14)
    ax.set(xticks=[], yticks=[])


def landscape(ax):
    """Draw the energy of all samples over the stretches; return also the lowest."""
    sides = [np.linspace(0, end, 71) for end in REACH]
    grid = np.stack(np.meshgrid(*sides), axis=-1)
    heights = energy_of(slice(None))(grid.reshape(-1, 1, 2)).reshape(71, 71)
    drawn = ax.contourf(*sides, heights, levels=18, cmap="viridis_r")
    ax.set(xlabel="stretch of feature 1", ylabel="stretch of feature 2")
    ax.set(xlim=(0, REACH[0]), ylim=(0, REACH[1]))
    return drawn, grid.reshape(-1, 2)[heights.argmin()]


def orange_sample(best):
    """Return the first test sample of the orange class that only the stretch helps."""
    for point in X_test[y_test == 1]:
        before = (y[neighbors_of(point, np.ones(2))] == 1).sum()
        after = (y[neighbors_of(point, best)] == 1).sum()
        if before <= 2 and after == 5:
            return point
    raise ValueError("No orange sample changes.")


def draw_neighbors(best):
    query = orange_sample(best)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for ax, name, stretch in zip(
        axes, ("as measured", "features stretched"), (np.ones(2), best), strict=True
    ):
        scatter(ax, stretch)
        nearest = neighbors_of(query, stretch)
        ring = {"s": 60, "facecolors": "none", "edgecolors": "black"}
        ax.scatter(*(X[nearest] * stretch).T, **ring)
        ax.plot(*(query * stretch), "kX", markersize=8)
        n_right = (y[nearest] == 1).sum()
        ax.set_title(f"{name}: {n_right} of 5 neighbours are orange")
        ax.set(aspect="equal", adjustable="datalim")
    return figure


def draw_landscape(best):
    figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
    drawn, _ = landscape(ax)
    figure.colorbar(drawn, label="energy E")
    ax.plot(1, 1, "wo", markeredgecolor="k", label="features as measured")
    ax.plot(*best, "w*", markeredgecolor="k", markersize=15, label="lowest energy")
    ax.legend(loc="lower right")
    return figure


def draw_chain(best):
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    energy = energy_of(slice(None))
    for temperature, color in ((TEMPERATURE, "#D55E00"), (0.03, "#56B4E9")):
        path = run(energy, temperature)[:, 0]
        name = f"T = {temperature:g}"
        if temperature == TEMPERATURE:
            landscape(axes[0])
            axes[0].plot(*path.T, ".-", lw=0.6, markersize=3, color=color, label=name)
            axes[0].legend(loc="lower right")
        axes[1].plot(energy(path[:, None]), lw=0.9, color=color, label=name)
    axes[1].axhline(energy(best[None, None])[0], color="0.5", ls=":", label="lowest")
    axes[1].set(xlabel="Monte Carlo step", ylabel="energy E")
    axes[1].legend()
    return figure


def replicas():
    """Return the bags and the last stretches of replicas, each on half of the data."""
    rng = np.random.default_rng(0)
    bags = [rng.permutation(len(X))[: len(X) // 2] for _ in range(N_REPLICAS)]
    runs = [
        run(energy_of(bag), TEMPERATURE, n_steps=60, seed=number)[-1, 0]
        for number, bag in enumerate(bags)
    ]
    return bags, np.array(runs)


def draw_replicas(maps):
    figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
    drawn, _ = landscape(ax)
    figure.colorbar(drawn, label="energy E of all samples")
    label = "replicas, each with a bag of its own"
    ax.plot(*maps.T, "o", color="#D55E00", markeredgecolor="w", label=label)
    ax.legend(loc="lower right")
    return figure


def votes(points, maps, bags=None, k=5):
    """Return the shares (n_points, 3) of classes among neighbours under all maps.

    With bags, the points are the samples, and a map votes only for those outside of
    its bag; a sample is no neighbour of itself.
    """
    total = np.zeros((len(points), 3))
    for number, stretch in enumerate(maps):
        squares = (((points[:, None] - X) * stretch) ** 2).sum(axis=2)
        counts = np.ones(len(points), dtype=bool)
        if bags is not None:
            np.fill_diagonal(squares, np.inf)
            counts[bags[number]] = False
        nearest = np.argsort(squares, axis=1)[:, :k]
        total += counts[:, None] * np.eye(3)[y[nearest]].mean(axis=1)
    return total / np.maximum(total.sum(axis=1, keepdims=True), 1e-9)


def draw_votes(maps):
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.7), layout="constrained")
    extent = (-2, 3, -0.25, 1)
    sides = [np.linspace(*extent[:2], 90), np.linspace(*extent[2:], 90)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    shown = {
        "as measured": np.ones((1, 2)),
        "one replica": maps[:1],
        f"{N_REPLICAS} replicas": maps,
    }
    for ax, (name, used) in zip(axes, shown.items(), strict=True):
        P = votes(grid, used)
        colors = P @ COLORS(np.arange(3))[:, :3]
        ax.imshow(
            colors.reshape(90, 90, 3),
            extent=extent,
            origin="lower",
            aspect="auto",
            alpha=0.6,
        )
        scatter(ax)
        error = 100 * np.mean(votes(X_test, used).argmax(axis=1) != y_test)
        ax.set(title=f"{name}: error {error:.1f} %", xlim=extent[:2], ylim=extent[2:])
    return figure


def draw_weights(model):
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    tried = model.selection_
    kinds = [f"{v}/{f}" for v, f in zip(tried["view"], tried["form"], strict=True)]
    for kind in dict.fromkeys(kinds):
        rows = np.array(kinds) == kind
        k, loss = tried["n_neighbors"][rows], tried["oob_loss"][rows]
        weight = tried["weight"][rows]
        (line,) = ax.plot(k, loss, lw=1, label=f"{kind}: {weight.sum():.2f}")
        ax.scatter(k, loss, s=900 * weight, color=line.get_color())
    ax.set(xlabel="number of neighbours k", ylabel="out-of-bag Brier score")
    ax.legend(title="kind of map: its weight", fontsize="small")
    return figure


def reliability(P, classes):
    """Return mean probabilities and shares of the class, in ten bins of probability."""
    p, is_class = P.ravel(), np.eye(3)[classes].ravel()
    number = np.minimum((10 * p).astype(int), 9)
    bins = [number == b for b in range(10) if (number == b).sum() > 10]
    return np.array([(p[b].mean(), is_class[b].mean()) for b in bins]).T


def draw_calibration(model):
    figure, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
    ax.plot([0, 1], [0, 1], color="0.6", ls=":")
    V = model.ensemble_.votes(X_test)
    ax.plot(*reliability(V, y_test), "o-", label="votes")
    P = model.predict_proba(X_test)
    ax.plot(*reliability(P, y_test), "s-", label="probabilities of the model")
    ax.set(xlabel="predicted", ylabel="share of 2,000 test samples", aspect="equal")
    ax.legend()
    return figure


def main(folder=HERE / "images" / "toy"):
    """Draw all pictures into a folder, and print the figures that the page names."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    plt.switch_backend("Agg")
    _, best = landscape(plt.figure().gca())
    bags, maps = replicas()
    model = FreeEnergyClassifier(random_state=0).fit(X, y)
    figures = {
        "neighbors": draw_neighbors(best),
        "landscape": draw_landscape(best),
        "chain": draw_chain(best),
        "replicas": draw_replicas(maps),
        "votes": draw_votes(maps),
        "weights": draw_weights(model),
        "calibration": draw_calibration(model),
    }
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", dpi=110)
    plt.close("all")
    expected = votes(X, maps, bags).argmax(axis=1) != y
    print(f"lowest energy at stretches {best.round(1)}")
    print(f"votes of {N_REPLICAS} replicas: out-of-bag error {expected.mean():.3f}")
    print(f"FreeEnergyClassifier: out-of-bag error {1 - model.oob_score_:.3f}")
    print(f"FreeEnergyClassifier: test error {1 - model.score(X_test, y_test):.3f}")
    return model


if __name__ == "__main__":
    main(*sys.argv[1:])
