"""What tests ask about with isinstance."""

from freemetric.metric_learn.sdml import _SDML as _BaseSDML  # noqa: F401
