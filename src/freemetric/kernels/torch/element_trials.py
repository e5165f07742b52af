"""Element trials on a GPU: every replica changes one element of its map at a time."""

from contextlib import suppress

with suppress(ImportError):  # then this file can be read, not run
    import torch


def sweep(X, y, w, log_floor, A, trials, ridge):
    """Try trial after trial, those of all replicas at once.

    A change delta of A[r, row, column] moves row ``row`` of z = A x alone, so that

    D'_ij = D_ij + (x_i - x_j) (2 delta (z_i - z_j) + delta^2 (x_i - x_j))

    with the column x of the features: O(N^2) for a trial instead of O(N^2 p).

    Parameters
    ----------
    X, y, w : tensors of shape (R, N, d), (R, N) and (R, N)
        Samples, their classes, and their weights, of sum one.
    log_floor : float
        A sample costs 1 - p, or -log(p + log_floor) where that is positive.
    A : tensor of shape (R, p, d)
        The maps, in double precision; changed in place.
    trials : Trials
        Rows, columns, deltas and allowed rises, (R, n) each.
    ridge : float
        Strength of the confinement.

    Returns
    -------
    energies : tensor of shape (R,)
        Energies of the maps in the end.
    accepted : ndarray of bool of shape (R, n)
        Which trials were accepted.
    """
    replica = torch.arange(len(A), device=A.device)
    same = y[:, :, None] == y[:, None]
    log_w = torch.log(w)[:, None]
    Z = X.double() @ A.transpose(1, 2)
    D = torch.cdist(Z, Z).square().float()
    D.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    values = cost(D, log_w, same, w, log_floor) + ridge * (A**2).sum((1, 2))
    rows, columns = (torch.as_tensor(part, device=A.device) for part in trials[:2])
    deltas, allowed = (torch.as_tensor(part, device=A.device) for part in trials[2:])
    accepted = torch.zeros(rows.shape, dtype=torch.bool, device=A.device)
    for t in range(rows.shape[1]):
        row, column, delta = rows[:, t], columns[:, t], deltas[:, t]
        x = X[replica, :, column]
        z = Z[replica, :, row]
        apart = x[:, :, None] - x[:, None]
        along = (z[:, :, None] - z[:, None]).float()
        step = delta.float()[:, None, None]
        moved = D + apart * (2 * step * along + step**2 * apart)
        element = A[replica, row, column]
        rise = ridge * ((element + delta) ** 2 - element**2)
        confined = ridge * (A**2).sum((1, 2)) + rise
        trial = cost(moved, log_w, same, w, log_floor) + confined
        keep = trial - values <= allowed[:, t]
        D = torch.where(keep[:, None, None], moved, D)
        values = torch.where(keep, trial, values)
        change = torch.where(keep, delta, 0.0)
        A[replica, row, column] += change
        Z[replica, :, row] += change[:, None] * x
        accepted[:, t] = keep
    return values, accepted.cpu().numpy()


def cost(D, log_w, same, w, log_floor):
    """Energies (R,) of squared distances (R, N, N), infinite on the diagonal."""
    x = log_w - D
    total = torch.logsumexp(x, dim=2)
    of_class = torch.logsumexp(x.masked_fill(~same, -torch.inf), dim=2)
    p = torch.exp(of_class - total)
    if log_floor > 0:
        return -(w * torch.log(p + log_floor)).sum(1).double()
    return (w * (1 - p)).sum(1).double()
