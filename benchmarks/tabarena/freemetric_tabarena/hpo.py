"""The generator of configurations that TabArena asks for."""

from tabarena.utils.config_utils import CustomAGConfigGenerator

from .configurations import draw_configurations
from .model import FreeEnergyModel

gen_free_energy = CustomAGConfigGenerator(
    model_cls=FreeEnergyModel,
    search_space_func=draw_configurations,
    manual_configs=[{}],
)
