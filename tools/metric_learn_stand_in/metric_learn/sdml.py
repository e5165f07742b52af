"""What tests ask about with isinstance."""

from freemetric.metric_learn.pair_learners import BaseSDML as _BaseSDML  # noqa: F401
