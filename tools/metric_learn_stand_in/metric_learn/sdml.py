"""What tests ask about with isinstance."""

from freemetric.metric_learn.pairs import BaseSDML as _BaseSDML  # noqa: F401
