"""Risk certificates: PAC-Bayes bounds for an ensemble in which every replica knows its own bag alone."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr, softmax
from sklearn import config_context
from sklearn.utils.validation import check_array, check_is_fitted

from ..energies import knows_its_data
from ..learners.base import one_blas_thread
from ..learners.parallel import in_parallel
from ..mc.streams import seed_sequence
from ..metrics import Member, TrainingSet, View
from ..metrics.neighbor_votes import NeighborVotes, chunks, shares
from .fitted import FittedEnsemble
from .population import allowed_neighbors
from .running import first_candidates, given_recipe
from .sampling import replicas_of
from .tasks.intervals import check_one_target

TEMPERATURES = 60  # of the posterior that are tried
HALVINGS = 60  # of an interval: more than double precision has digits


def kl_inverse(share: ArrayLike, limit: ArrayLike) -> NDArray[np.float64]:
    """The largest p whose binary relative entropy kl(share || p) is at most the limit; of arrays, for each."""
    share, limit = np.broadcast_arrays(np.asarray(share, dtype=np.float64), limit)
    low, high = share, np.ones(share.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_inside = rel_entr(share, middle) + rel_entr(1 - share, 1 - middle) <= limit
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return high


class Bound(NamedTuple):
    """A bound with what it is made of."""

    value: float
    empirical: float
    kl: float  # of the posterior and the uniform prior, in nats
    posterior: NDArray[np.float64]  # (H,)

    def times(self, factor: float) -> "Bound":
        """The bound of so many times the risk, at most one."""
        return self._replace(value=min(1.0, factor * self.value), empirical=min(1.0, factor * self.empirical))


def risk_bound(losses: NDArray, n: int, delta: float) -> Bound:
    """The least bound of mean losses (H,) in [0, 1], each of n independent samples or more, over Boltzmann posteriors.

    kl(mean loss || risk) <= (KL(posterior || prior) + log(2 sqrt(n) / delta)) / n, for all posteriors at once; the
    prior is uniform.
    """
    return _least(losses, lambda posteriors: posteriors @ losses, 1, n, delta)


def tandem_bound(losses: NDArray, tandem: NDArray, n: int, delta: float) -> Bound:
    """The least bound of tandem losses (H, H), chances that two hypotheses err at once, of n common samples or more.

    Posteriors are those of ``risk_bound``; two hypotheses are drawn, so the relative entropy counts twice.
    """
    return _least(losses, lambda P: np.einsum("th,hg,tg->t", P, tandem, P, optimize=True), 2, n, delta)


def _least(losses, risks, n_drawn, n, delta):
    """The least of the bounds of the ``risks`` (T,) of so many hypotheses drawn from each posterior (T, H).

    Posteriors are Boltzmann's distribution of the losses (H,) at many temperatures; the first is the prior.
    """
    strengths = np.append(0.0, np.geomspace(1e-2 * n, 1e2 * n, TEMPERATURES))
    posteriors = softmax(-strengths[:, None] * losses, axis=1)
    empirical = risks(posteriors)
    kl = np.maximum(0.0, rel_entr(posteriors, 1 / len(losses)).sum(axis=1))  # rounding may be below zero
    values = kl_inverse(empirical, (n_drawn * kl + np.log(2 * np.sqrt(n) / delta)) / n)
    best = int(values.argmin())
    return Bound(float(values[best]), float(empirical[best]), float(kl[best]), posteriors[best])


LOSSES = {
    "error": "one replica and k, drawn by their weights, err on at most {:.1%} of new samples",
    "majority": "the majority of the votes errs on at most {:.1%} of new samples",
    "brier": "the mean votes have a Brier score of at most {:.4f} on new samples",
}


class BagReplica(NamedTuple):
    """A replica whose neighbours are the samples of its bag; also its view was made of them."""

    view: View
    member: Member
    search: NeighborVotes

    def shares(self, X: NDArray, neighbors: NDArray) -> NDArray[np.float64]:
        """Class shares (n, len(neighbors), C) among so many nearest samples of the bag, for samples X (n, d)."""
        (Q,) = self.member.spaces(self.view(X))
        return shares(self.search.of(Q).astype(np.float64))[:, neighbors - 1]


class BagEnsemble:
    """Replicas that know their own bags alone, and their losses on all samples that they left out.

    Bags are drawn uniformly and independently, not class by class: the classes of a stratified bag would tell those of
    the samples left out. Candidates have the temperatures of the recipe, and each gets as many replicas as the others:
    nothing depends on a loss. A hypothesis is a replica with a number k of neighbours.
    """

    def __init__(self, model: Any, training_set: TrainingSet):
        recipe, part = given_recipe(model, len(training_set)), training_set
        rng = np.random.default_rng(seed_sequence(model.random_state))
        if len(part) > recipe.most_searched:
            part = part.only(rng.permutation(len(part))[: recipe.most_searched])
        search, N = model._search(part, model._task(part), scores=False), len(part)
        size = max(2, min(recipe.smallest_bag, round(recipe.subsample * N)))
        self.neighbors = np.array(allowed_neighbors(recipe.neighbors, min(recipe.most_neighbors, size - 1)))
        candidates, bags = first_candidates(search), [rng.permutation(N)[:size] for _ in range(recipe.n_replicas)]
        lone = [search.lone_task(candidates[r % len(candidates)], bag, r) for r, bag in enumerate(bags)]
        found = in_parallel(replicas_of, [task for task, _ in lone], model._n_tasks)
        self.left_out, self.replicas, self.n_features = np.ones((len(bags), N), dtype=bool), [], part.X.shape[1]
        most, truth = int(self.neighbors.max()), np.eye(part.n_cells)
        shape = len(bags), len(self.neighbors), N  # zero where a sample was not left out
        self.errors, self.briers = (np.zeros(shape, dtype=np.float32) for _ in range(2))
        for r, ((task, view), got, bag) in enumerate(zip(lone, found, bags, strict=True)):
            member = Member(task.candidate, got.maps)
            (Z,) = member.spaces(task.seen)
            replica = BagReplica(view, member, NeighborVotes(Z, task.training_set.places, most))
            self.replicas.append(replica)
            self.left_out[r, bag] = False
            numbers = np.flatnonzero(self.left_out[r])
            for some in chunks(len(numbers), most, part.n_cells):
                rows = numbers[some]
                votes = replica.shares(part.X[rows], self.neighbors)  # (n, K, C)
                self.errors[r][:, rows] = (votes.argmax(axis=2) != part.y[rows, None]).T
                self.briers[r][:, rows] = (np.square(votes - truth[part.y[rows], None]).sum(axis=2) / 2).T

    def bound(self, loss: str, delta: float) -> tuple[Bound, int]:
        """The bound of a loss, and the number of samples that it is of."""
        flat = (self.briers if loss == "brier" else self.errors).reshape(-1, self.left_out.shape[1])
        counts = np.repeat(self.left_out.sum(axis=1), len(self.neighbors))
        losses, n = np.minimum(flat.sum(axis=1, dtype=np.float64) / counts, 1.0), int(counts.min())
        if loss != "majority":
            return risk_bound(losses, n, delta), n
        # half of delta for each of two bounds of the majority, of which the smaller one is taken
        first, outside = risk_bound(losses, n, delta / 2), self.left_out.astype(np.float32)
        common = outside @ outside.T
        n_common = int(common.min())
        if n_common:
            repeated = np.kron(common, np.ones((len(self.neighbors),) * 2, dtype=np.float32))
            second = tandem_bound(losses, flat @ flat.T / repeated, n_common, delta / 2)
            if 4 * second.value < 2 * first.value:
                return second.times(4), n_common
        return first.times(2), n

    def votes(self, X: NDArray, posterior: NDArray, hard: bool) -> NDArray[np.float64]:
        """Votes (n, C) for samples X (n, d) by the posterior (H,): mean shares, or ``hard`` ones, of a class each."""
        weights, n_classes = posterior.reshape(len(self.replicas), -1), self.replicas[0].search.places.votes.shape[1]
        out = np.zeros((len(X), n_classes))
        for some in chunks(len(X), int(self.neighbors.max()), n_classes):
            for replica, of_k in zip(self.replicas, weights, strict=True):
                if of_k.any():
                    shares = replica.shares(X[some], self.neighbors)
                    shares = np.eye(n_classes)[shares.argmax(axis=2)] if hard else shares
                    out[some] += np.einsum("k,nkc->nc", of_k, shares)
        return out


@dataclass(frozen=True, eq=False)
class RiskCertificate:
    """A bound of the risk of the bag-only ensemble, which also predicts. Printed, it is a sentence.

    Attributes
    ----------
    loss : {"error", "majority", "brier"}
        What is bounded.
    bound : float
        With probability 1 - delta over the draw of the training samples, the risk is at most this.
    empirical : float
        The same out of bag: the mean error or Brier score of the hypotheses; for the majority twice this error or four
        times the tandem loss, of whichever the bound is.
    n : int
        Fewest samples that a hypothesis, or two for the majority, left out.
    kl : float
        Relative entropy of the posterior and the uniform prior, in nats.
    delta : float
        Probability that the bound does not hold.
    posterior : ndarray of shape (n_hypotheses,)
        Weights of the hypotheses, each a replica with a number of neighbours.
    ensemble : BagEnsemble
        The replicas.
    classes : ndarray of shape (n_classes,)
        Labels.
    """

    loss: str
    bound: float
    empirical: float
    n: int
    kl: float
    delta: float
    posterior: NDArray[np.float64]
    ensemble: BagEnsemble
    classes: NDArray

    def votes(self, X: ArrayLike) -> NDArray[np.float64]:
        """The votes that the certificate is of.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        V : ndarray of shape (n_samples, n_classes)
            Mean shares of the classes for "brier"; else every hypothesis votes for one class. Not calibrated.
        """
        samples = check_array(X, dtype=np.float64, input_name="X")
        n_features = self.ensemble.n_features
        if samples.shape[1] != n_features:
            raise ValueError(f"X has {samples.shape[1]} features, and the certificate is of {n_features} features.")
        with one_blas_thread(), config_context(assume_finite=True, skip_parameter_validation=True):
            return self.ensemble.votes(samples, self.posterior, self.loss != "brier")

    def predict(self, X: ArrayLike) -> NDArray:
        """Labels (n_samples,) with the most votes."""
        return self.classes[self.votes(X).argmax(axis=1)]

    def __str__(self) -> str:
        held = LOSSES[self.loss].format(self.bound)
        out_of_bag = f"out of bag it is {self.empirical:.4f}, on {self.n} samples or more"
        return (
            f"With probability {1 - self.delta:.4g} over the draw of the training samples, {held}; {out_of_bag}. "
            "This is about the bag-only ensemble, certificate.predict, and not about predict_proba of the model."
        )


class CertificateMixin(FittedEnsemble):
    """``risk_certificate`` of a classifier with an ``ensemble_``."""

    def risk_certificate(self, delta: float = 0.05, loss: str = "error") -> RiskCertificate:
        r"""A bound of the risk of a bag-only ensemble, which holds with probability 1 - delta.

        PAC-Bayes. Replicas are sampled anew, each from a bag of half of the samples that is drawn independently of all
        others, and its neighbours are the samples of its bag alone: the samples left out are as new to it as any. With
        :math:`\hat L_h` the loss of hypothesis h, a replica with k neighbours, on at least n samples that it left out,
        :math:`\pi` uniform and :math:`\rho \propto e^{-\hat L / T}` [1]_ [2]_,

        .. math:: \mathrm{kl}(\mathrm{E}_\rho \hat L \,\|\, \mathrm{E}_\rho L)
            \le \frac{\mathrm{KL}(\rho \| \pi) + \ln(2 \sqrt n / \delta)}{n}

        for all T at once; that of the least bound is taken. The Brier score is convex, so its bound is one of the mean
        votes. The error of the majority is at most twice :math:`\mathrm{E}_\rho L`, and four times the tandem loss, the
        chance that two hypotheses err on the same sample [3]_: the smaller bound of both at delta / 2.

        The model itself has no such bound: all samples vote in it, and out-of-bag losses chose its candidates, weights
        and calibration. The certificate holds for independent samples. What was learned from the same samples before
        is not accounted for, such as preprocessing by a pipeline or a recipe that was chosen by their scores. Costs
        about as much as a fit; kept afterwards.

        Parameters
        ----------
        delta : float, default=0.05
            Probability that the bound does not hold, between 0 and 1.
        loss : {"error", "majority", "brier"}, default="error"
            The error of a hypothesis drawn by the posterior, the error of their weighted majority, or the Brier score
            of the mean votes, half the squared distance to the truth.

        Returns
        -------
        certificate : RiskCertificate
            ``bound``, ``empirical``, ``n``, ``kl``, ``delta``; its ``votes`` and ``predict`` are what it is about, and
            ``print(certificate)`` gives a sentence.

        References
        ----------
        .. [1] A. Maurer, "A Note on the PAC Bayesian Theorem", arXiv:cs/0411099, 2004.
        .. [2] S. S. Lorenzen, C. Igel, Y. Seldin, "On PAC-Bayesian Bounds for Random Forests", Machine Learning 108,
           2019.
        .. [3] A. R. Masegosa, S. S. Lorenzen, C. Igel, Y. Seldin, "Second Order PAC-Bayesian Bounds for the Weighted
           Majority Vote", NeurIPS, 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, y)
        >>> certificate = model.risk_certificate()
        >>> certificate.empirical < certificate.bound < 0.15
        True
        """
        check_is_fitted(self)
        check_one_target(self, "Certificates are")
        if not (isinstance(delta, float | np.floating) and 0 < delta < 1):
            raise ValueError(f"delta is the probability that the bound does not hold, between 0 and 1; got {delta!r}.")
        if loss not in LOSSES:
            known = ", ".join(map(repr, LOSSES))
            what = "votes of the bag-only ensemble are certified, not the calibrated probabilities of the model"
            raise ValueError(f"loss is one of {known}; {what}; got {loss!r}.")
        training_set = self.ensemble_.training_set
        if training_set.weights is not None:
            raise ValueError("A certificate is of samples of equal weight; this model was fitted with sample_weight.")
        if training_set.gaps is not None:
            raise ValueError("A certificate needs replicas that know their bags alone; gaps know means of all samples.")
        if self._energy is not None and knows_its_data(self._energy):
            raise ValueError("A certificate needs replicas that know their bags alone; this energy knows all samples.")
        key = "bag-only ensemble", repr(given_recipe(self, len(training_set))), repr(self.random_state)
        with one_blas_thread(), config_context(assume_finite=True, skip_parameter_validation=True):
            ensemble = self.ensemble_.once(key, lambda: BagEnsemble(self, training_set))
        found, n = ensemble.bound(loss, float(delta))
        rest = found.posterior, ensemble, self.classes_
        return RiskCertificate(loss, found.value, found.empirical, n, found.kl, float(delta), *rest)
