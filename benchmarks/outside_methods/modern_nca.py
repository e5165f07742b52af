"""ModernNCA, written from its description: soft neighbours in a learned space of periodic features.

H.-J. Ye, H.-H. Yin, D.-C. Zhan, W.-L. Chao, Revisiting Nearest Neighbor for Tabular Data: A Deep Tabular Baseline Two
Decades Later, ICLR 2025; Y. Gorishniy, I. Rubachev, A. Babenko, On Embeddings for Numerical Features in Tabular Deep
Learning, NeurIPS 2022 (the embedding). Defaults are those that TALENT and TabArena publish.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler

from .folds import inner_folds
from .modern_nca_map import FeatureMap, soft_votes, torch

TINY = 1e-7  # added to a chance before its logarithm: no neighbour of the class may be among the candidates
VALIDATION_FOLDS = 5  # a fifth of the rows validates
ROWS_OF_BATCH = ((2_800, 32), (4_500, 64), (6_400, 128), (32_000, 256), (108_000, 512))


class ModernNCA(ClassifierMixin, BaseEstimator):
    """Classify by soft votes of neighbours, p(c | x) = sum over candidates i of class c of softmax(-|f(x) - f(x_i)|).

    f is learned by AdamW on the log likelihood of the training rows. In each step a random share of the other rows are
    candidates; all rows are when it predicts, those that validated among them. Learning ends when the log loss of the
    validating rows has not improved for some epochs, and the best epoch counts.

    Parameters
    ----------
    dim, n_blocks, d_block, dropout, n_frequencies, frequency_scale, d_embedding :
        Of the map, see ``FeatureMap``.
    sample_rate : float
        Share of the other rows that are candidates in a step.
    temperature : float
        What distances are divided by.
    learning_rate, weight_decay : float
        Of AdamW.
    batch_size : int or "auto"
        Rows in a step; "auto" by the number of rows.
    max_epochs, patience : int
        At most so many, and so many without progress.
    n_bags : int
        With more than one, as many maps, each validated by another fold; their probabilities are averaged.
    random_state : int or None
        Seed.
    """

    def __init__(
        self,
        *,
        dim=128,
        n_blocks=0,
        d_block=512,
        dropout=0.1,
        n_frequencies=77,
        frequency_scale=0.0443,
        d_embedding=34,
        sample_rate=0.5,
        temperature=1.0,
        learning_rate=2e-3,
        weight_decay=2e-4,
        batch_size="auto",
        max_epochs=200,
        patience=20,
        n_bags=1,
        random_state=None,
    ):
        self.dim = dim
        self.n_blocks = n_blocks
        self.d_block = d_block
        self.dropout = dropout
        self.n_frequencies = n_frequencies
        self.frequency_scale = frequency_scale
        self.d_embedding = d_embedding
        self.sample_rate = sample_rate
        self.temperature = temperature
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.n_bags = n_bags
        self.random_state = random_state

    def fit(self, X, y):
        """Learn one map, or one for each bag."""
        X = np.asarray(X, dtype=float)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.scaler_ = StandardScaler().fit(X)
        # two values are a category, which the published method does not embed either
        self.is_flag_ = np.array([len(np.unique(column)) <= 2 for column in X.T])
        self.X_, self.y_ = self._tensor(X), torch.as_tensor(codes)
        folds = list(inner_folds(codes, max(self.n_bags, VALIDATION_FOLDS), self.random_state))
        seed = 0 if self.random_state is None else self.random_state
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.maps_ = [self._learned(*fold) for fold in folds[: self.n_bags]]
        return self

    def _tensor(self, X):
        return torch.as_tensor(self.scaler_.transform(np.asarray(X, dtype=float)), dtype=torch.float32)

    def _votes(self):
        return torch.nn.functional.one_hot(self.y_, len(self.classes_)).float()

    def _learned(self, train, judges):
        """The map of the epoch that the judges liked best."""
        train, judges = torch.as_tensor(train), torch.as_tensor(judges)
        made = FeatureMap(
            self.is_flag_,
            dim=self.dim,
            n_blocks=self.n_blocks,
            d_block=self.d_block,
            dropout=self.dropout,
            n_frequencies=self.n_frequencies,
            frequency_scale=self.frequency_scale,
            d_embedding=self.d_embedding,
        )
        optimizer = torch.optim.AdamW(made.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay)
        best, best_loss, waited = None, np.inf, 0
        for _ in range(self.max_epochs):
            self._epoch(made, optimizer, train)
            loss = self._validation_loss(made, train, judges)
            if loss < best_loss:
                best_loss, waited = loss, 0
                best = {name: value.clone() for name, value in made.state_dict().items()}
            else:
                waited += 1
            if waited >= self.patience:
                break
        if best is not None:  # losses that are not numbers never were the best
            made.load_state_dict(best)
        return made.eval()

    def _epoch(self, made, optimizer, train):
        """One pass over the rows, each time among other candidates."""
        made.train()
        for batch in train[torch.randperm(len(train))].split(self._batch_size(len(train))):
            optimizer.zero_grad()
            self.step_loss(made, batch, self._candidates(batch, train)).backward()
            optimizer.step()

    def _batch_size(self, n_rows):
        if self.batch_size != "auto":
            return self.batch_size
        return next((size for most, size in ROWS_OF_BATCH if n_rows < most), 1024)

    def _candidates(self, batch, train):
        """A share of the rows that are not in the batch."""
        rest = train[~torch.isin(train, batch)]
        return rest[torch.randperm(len(rest))[: int(self.sample_rate * len(rest))]]

    def step_loss(self, made, batch, candidates):
        """-log p of the rows of a batch, among the candidates and each other but not themselves."""
        rows = torch.cat([batch, candidates])
        Z, n = made(self.X_[rows]), len(batch)
        chances = soft_votes(Z[:n], Z, self._votes()[rows], self.temperature, leave_out_own=True)
        return -torch.log(chances[torch.arange(n), self.y_[batch]] + TINY).mean()

    def _validation_loss(self, made, train, judges):
        made.eval()
        with torch.no_grad():
            chances = soft_votes(made(self.X_[judges]), made(self.X_[train]), self._votes()[train], self.temperature)
            return -torch.log(chances[torch.arange(len(judges)), self.y_[judges]] + TINY).mean().item()

    def predict_proba(self, X):
        """Soft votes of all rows, averaged over maps."""
        Q, votes = self._tensor(X), self._votes()
        with torch.no_grad():
            shares = [soft_votes(made(Q), made(self.X_), votes, self.temperature) for made in self.maps_]
        return torch.stack(shares).mean(dim=0).double().numpy()

    def predict(self, X):
        """The likeliest class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
