"""Scores of retrieval: how many of the nearest items of a query are relevant, and how early they come.

All take rows of items as a search returns them, nearest first, and give one value for every query, NaN for a query that
has no relevant item. ``numpy.nanmean`` averages them.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..printable import counted


def precision_at_1(
    neighbors: ArrayLike, labels: ArrayLike, query_labels: ArrayLike | None = None, own: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Whether the nearest item has the label of the query.

    Parameters
    ----------
    neighbors : array-like of shape (n_queries, k)
        Rows of the nearest items, nearest first.
    labels : array-like of shape (n_items,)
        Labels of the items.
    query_labels : array-like of shape (n_queries,) or None, default=None
        Labels of the queries. None: the queries are the items, in their order.
    own : array-like of shape (n_queries,) or None, default=None
        Rows of the queries among the items, which are left out of their own neighbours. None: queries are no items,
        unless ``query_labels`` is None.

    Returns
    -------
    values : ndarray of shape (n_queries,)
        1 or 0; NaN where no item has the label.

    Examples
    --------
    >>> from freemetric.metrics import precision_at_1
    >>> precision_at_1([[0, 2], [1, 0]], labels=["a", "b", "b"], query_labels=["a", "a"])
    array([1., 0.])
    """
    hits, n_relevant = _hits(neighbors, labels, query_labels, own, "precision_at_1", 1)
    return np.where(n_relevant > 0, hits[:, :1].any(axis=1), np.nan)


def r_precision(
    neighbors: ArrayLike, labels: ArrayLike, query_labels: ArrayLike | None = None, own: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Share of relevant items among the R nearest, where R is the number of all relevant items.

    Parameters
    ----------
    neighbors : array-like of shape (n_queries, k)
        Rows of the nearest items, nearest first; k is at least the largest R, and one more where queries are items.
    labels, query_labels, own : array-like
        As in :func:`precision_at_1`.

    Returns
    -------
    values : ndarray of shape (n_queries,)
        From 0 to 1; NaN where R is 0.

    References
    ----------
    K. Musgrave, S. Belongie, S.-N. Lim, A metric learning reality check, European Conference on Computer Vision 2020.

    Examples
    --------
    >>> from freemetric.metrics import r_precision
    >>> r_precision([[0, 2, 1]], labels=["a", "a", "b"], query_labels=["a"])
    array([0.5])
    """
    hits, n_relevant = _hits(neighbors, labels, query_labels, own, "r_precision")
    among_r = hits & (np.arange(hits.shape[1]) < n_relevant[:, None])
    return _share(among_r.sum(axis=1), n_relevant)


def map_at_r(
    neighbors: ArrayLike, labels: ArrayLike, query_labels: ArrayLike | None = None, own: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Mean average precision at R, which also counts how early the relevant items come.

    .. math:: \mathrm{MAP@R} = \frac{1}{R} \sum_{i=1}^{R} P(i)

    P(i) is the share of relevant items among the i nearest if item i is relevant, and else 0.

    Parameters
    ----------
    neighbors : array-like of shape (n_queries, k)
        Rows of the nearest items, nearest first; k is at least the largest R, and one more where queries are items.
    labels, query_labels, own : array-like
        As in :func:`precision_at_1`.

    Returns
    -------
    values : ndarray of shape (n_queries,)
        From 0 to 1; NaN where R is 0.

    References
    ----------
    K. Musgrave, S. Belongie, S.-N. Lim, A metric learning reality check, European Conference on Computer Vision 2020.

    Examples
    --------
    >>> from freemetric.metrics import map_at_r
    >>> map_at_r([[2, 0, 1]], labels=["a", "a", "b"], query_labels=["a"])  # (0 + 1/2) / 2
    array([0.25])
    """
    hits, n_relevant = _hits(neighbors, labels, query_labels, own, "map_at_r")
    ranks = np.arange(1, hits.shape[1] + 1)
    precision = np.where(hits & (ranks <= n_relevant[:, None]), np.cumsum(hits, axis=1) / ranks, 0.0)
    return _share(precision.sum(axis=1), n_relevant)


def ndcg(neighbors: ArrayLike, relevance: ArrayLike) -> NDArray[np.float64]:
    r"""Normalised discounted cumulative gain of the k nearest items, for graded relevance.

    .. math:: \mathrm{NDCG} = \frac{\sum_{i=1}^{k} g_i / \log_2(i + 1)}{\sum_{i=1}^{k} g^*_i / \log_2(i + 1)}

    g are the relevances of the nearest items in their order, g* the k largest ones, the largest first.

    Parameters
    ----------
    neighbors : array-like of shape (n_queries, k)
        Rows of the nearest items, nearest first.
    relevance : array-like of shape (n_queries, n_items)
        Relevance of every item for every query, none below 0. ``labels == query_labels[:, None]`` for classes.

    Returns
    -------
    values : ndarray of shape (n_queries,)
        From 0 to 1; NaN where no item is relevant. scikit-learn's ``ndcg_score`` takes 0 there.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM Transactions on Information
    Systems 20, 2002.

    Examples
    --------
    >>> from freemetric.metrics import ndcg
    >>> ndcg([[1, 0, 2]], relevance=[[2, 1, 0]]).round(3)
    array([0.86])
    """
    gains = np.asarray(relevance, dtype=np.float64)
    if gains.ndim != 2 or not np.isfinite(gains).all() or (gains < 0).any():
        raise ValueError("relevance must be finite numbers of shape (n_queries, n_items), none below 0.")
    rows = _rows(neighbors, gains.shape[1], len(gains))
    k = rows.shape[1]
    discount = 1 / np.log2(np.arange(2, k + 2))
    best = -np.sort(np.partition(-gains, k - 1, axis=1)[:, :k], axis=1)
    return _share(np.take_along_axis(gains, rows, axis=1) @ discount, best @ discount)


def _hits(neighbors, labels, query_labels, own, score, most=None):
    """Whether neighbours (n, k) are relevant, the query itself last and never so, and R (n,).

    ValueError where there are fewer than R neighbours, or than ``most`` of them.
    """
    known = _labels(labels, "labels")
    if query_labels is None:
        query_labels, own = known, np.arange(len(known)) if own is None else own
    wanted = _labels(query_labels, "query_labels")
    rows = _rows(neighbors, len(known), len(wanted))
    classes, of_item = np.unique(known, return_inverse=True)
    place = np.minimum(np.searchsorted(classes, wanted), len(classes) - 1)
    of_query = np.where(classes[place] == wanted, place, -1)
    n_relevant = np.where(of_query >= 0, np.bincount(of_item)[place], 0)
    hits, n_others = of_item[rows] == of_query[:, None], np.full(len(rows), rows.shape[1])
    if own is not None:
        mine = np.asarray(own)
        if mine.shape != wanted.shape or mine.dtype.kind not in "iu" or mine.min() < 0 or mine.max() >= len(known):
            raise ValueError("own must be the row among the items of every query.")
        is_own = rows == mine[:, None]
        order = np.argsort(is_own, axis=1, kind="stable")  # the query moves behind all others, whose order stays
        hits = np.take_along_axis(hits & ~is_own, order, axis=1)
        n_relevant, n_others = n_relevant - (of_item[mine] == of_query), n_others - is_own.any(axis=1)
    needed = n_relevant if most is None else np.minimum(n_relevant, most)
    if (needed > n_others).any():
        query = int((needed - n_others).argmax())
        what = f"{score} needs the {needed[query]} nearest items of query {query}, itself left out"
        raise ValueError(f"{what}; neighbors has {n_others[query]}.")
    return hits, n_relevant


def _labels(labels, name):
    known = np.asarray(labels)
    if known.ndim != 1 or not len(known):
        raise ValueError(f"{name} must be an array of one label each; got shape {known.shape}.")
    return known


def _rows(neighbors, n_items, n_queries):
    rows = np.asarray(neighbors)
    if rows.ndim != 2 or rows.dtype.kind not in "iu" or 0 in rows.shape:
        raise ValueError(f"neighbors must be rows of items, (n_queries, k); got {rows.dtype} of shape {rows.shape}.")
    if len(rows) != n_queries:
        raise ValueError(f"neighbors has {counted(len(rows), 'row')}, but there are {n_queries} queries.")
    if rows.min() < 0 or rows.max() >= n_items:
        raise ValueError(f"neighbors has rows outside 0 to {n_items - 1}.")
    if (np.diff(np.sort(rows, axis=1), axis=1) == 0).any():
        raise ValueError("neighbors names an item twice for one query.")
    return rows


def _share(part, whole):
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
