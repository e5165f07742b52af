"""Novelty: conformal p-values of samples, by their distances to the training samples in the averaged metric."""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray


class NoveltyMixin:
    """P-values of an estimator with an ``ensemble_`` and ``_samples(X)``, which validates."""

    ensemble_: Any
    _samples: Callable[[ArrayLike], NDArray]

    def score_samples(self, X: ArrayLike) -> NDArray:
        r"""Conformal p-values: whether samples are drawn as the training samples were.

        Let s(x) be the distance to the nearest training sample in the averaged metric, and :math:`s_i` that of
        training sample i to its nearest other. Then

        .. math:: p(x) = \frac{1 + \#\{i : s_i \ge s(x)\}}{n + 1}.

        A sample with a feature farther outside of its range than this range is wide is farther than all others; so is
        a training sample that lies so far outside of the range of its others. The smaller p, the more novel the sample,
        as in ``score_samples`` of scikit-learn's outlier detectors.

        For samples drawn as those of ``fit`` the share of p-values at most :math:`\alpha` is about :math:`\alpha`. The
        metric was learned with the training samples and not with the new ones, so this is measured, not proved: where
        features are many and samples are few, the share is below :math:`\alpha`. Samples of ``fit`` are at distance
        zero of themselves and have p = 1.

        The first call costs a search among the training samples; of more than 20,000, only so many have an
        :math:`s_i`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        p : ndarray of shape (n_samples,)
            Above 0 and at most 1.

        See Also
        --------
        outlier_score : The same distances as a share between 0 and 1, large for outliers.

        References
        ----------
        .. [1] R. Laxhammar, G. Falkman, "Conformal Prediction for Distribution-Independent Anomaly Detection in
           Streaming Vessel Data", StreamKDD, 2010.
        .. [2] S. Bates, E. Candès, L. Lei, Y. Romano, M. Sesia, "Testing for Outliers with Conformal p-values", Annals
           of Statistics 51, 2023.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[y < 2], y[y < 2])
        >>> p = model.score_samples(X[y == 2])  # of a class that it does not know
        >>> bool((p <= 0.05).mean() > 0.5)
        True
        """
        samples = self._samples(X)
        return self.ensemble_.p_values(samples)
