"""The entry as TabArena's registry wants it."""

from tabarena.models._method_metadata import MethodMetadata
from tabarena.models._model_info import ModelInfo

from .hpo import gen_free_energy
from .model import FreeEnergyModel

free_energy_info = ModelInfo(
    model_cls=FreeEnergyModel,
    search_space=gen_free_energy,
    method_metadata=MethodMetadata.config(
        method=FreeEnergyModel.ag_name,
        ag_key=FreeEnergyModel.ag_key,
        config_default=f"{FreeEnergyModel.ag_name}_c1_BAG_L1",
        compute="cpu",
        is_bag=True,
        display_name="FreeEnergy (freemetric)",
        reference_url="https://doi.org/10.48550/arXiv.2106.05495",
        date_introduced="2021-06",
        license="BSD-3-Clause",
    ),
    pip_extra=("freemetric",),
)
