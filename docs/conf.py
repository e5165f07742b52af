"""Sphinx: `make docs` builds the pages into docs/_build/html."""

import os
import re
import sys
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"
sys.path.insert(0, str(Path(__file__).parent))  # the gallery imports conf by its name

import matplotlib.pyplot as plt
from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from matplotlib.animation import Animation, PillowWriter

import freemetric

project = "freemetric"
author = "The freemetric developers"
copyright = author
version = release = freemetric.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "_templates",
    "auto_examples/*.ipynb",
    "auto_examples/*.py",
    "**/GALLERY_HEADER.rst",
]
templates_path = ["_templates"]
nitpicky = False
toc_object_entries_show_parents = "hide"  # the margin has room for `fit()` alone
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_mock_imports = ["onnx", "skl2onnx"]  # only their users are documented
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "freemetric"
html_static_path = ["_static"]
html_css_files = ["freemetric.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "freemetric"},
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": []}

GALLERY = [
    "plot_energy.py",
    "plot_boltzmann.py",
    "plot_tempering.py",
    "plot_confinement.py",
    "plot_moves.py",
    "plot_quenches.py",
    "plot_basins.py",
    "plot_annealing.py",
    "plot_melting.py",
    "plot_regions.py",
    "plot_votes.py",
    "plot_neighbors.py",
    "plot_digits.py",
    "plot_clustering.py",
    "plot_pairs.py",
    "plot_explain.py",
    "plot_imbalanced.py",
    "plot_intervals.py",
    "plot_wages.py",
    "plot_pipeline.py",
]
"""The order in which to read the examples: the physics first, then the uses."""

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"app\.py",
    "within_subsection_order": "conf.ReadingOrder",
    "doc_module": ("freemetric",),
    "reference_url": {"freemetric": None},
    "backreferences_dir": "auto_examples/backreferences",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "plot_gallery": True,
    "remove_config_comments": True,
    "image_scrapers": ("conf.animations", "matplotlib"),
}


def animations(block, block_vars, gallery_conf):
    """Save the animation ``film`` of an example as a GIF file."""
    film = block_vars["example_globals"].pop("film", None)
    if not isinstance(film, Animation):
        return ""
    path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
    film.save(path, writer=PillowWriter(fps=8), dpi=100)
    plt.close(film._fig)
    source = path.relative_to(gallery_conf["src_dir"]).as_posix()
    words = "samples in the learned plane while the temperature changes"
    return f"\n.. image:: /{source}\n   :alt: {words}\n"


class ReadingOrder:
    """The gallery's sort key."""

    def __init__(self, src_dir):
        pass

    def __call__(self, filename):
        return GALLERY.index(filename) if filename in GALLERY else len(GALLERY)


# Formulas become MathML, which browsers draw by themselves: the pages load nothing from
# elsewhere.


def inline_formula(self, node):
    self.body.append(mathml(node.astext()))
    raise SkipNode


def displayed_formula(self, node):
    self.body.append(
        f'<div class="formula">{mathml(node.astext(), as_block=True)}</div>'
    )
    raise SkipNode


def mathml(tex, **options):
    tex = re.sub(r"\\[bB]igg?[lr]?(?![A-Za-z])", "", tex)  # sizes, unknown to docutils
    # bars stand close to what they enclose and do not grow with it
    bar = r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>'
    return re.sub(r"<mo[^>]*>([|\u2223\u2016])</mo>", bar, tex2mathml(tex, **options))


# Docstrings are written to be read in a terminal: norms |A|, fitted names_ and file
# patterns *.csv are not markup.
LITERAL = re.compile(r"(``.+?``|:\w+:`.+?`)")
MARKUP = re.compile(r"\||(?<=\w)_(?![\w`])|(?<![\w*])\*(?=\.\w)")


def escape_text(app, what, name, obj, options, lines):
    indent = None  # of the block, if any, whose content is not text
    for i, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if indent is not None and line.strip() and depth <= indent:
            indent = None
        if re.match(r"\s*\.\. \S+::", line):
            indent = depth
        if indent is None and not re.match(r"\s*(>>>|\.\.\.)", line):
            # labels of scikit-learn, in inherited docstrings
            line = re.sub(r":ref:`([^<`]+?) <\w+>`", r"\1", line)
            parts = LITERAL.split(line)
            text = "".join(
                part if LITERAL.fullmatch(part) else MARKUP.sub(r"\\\g<0>", part)
                for part in parts
            )
            # an author's initial is no enumeration
            lines[i] = re.sub(r"^(\s*)([A-Z]\. )", r"\1\\\2", text)


def skip_inherited(app, what, name, obj, skip, options):
    """Leave out what scikit-learn documents, such as get_params, and the fields of
    named tuples.
    """
    is_field = (getattr(obj, "__doc__", None) or "").startswith(
        "Alias for field number"
    )
    return (
        skip
        or is_field
        or (getattr(obj, "__module__", None) or "").startswith("sklearn.")
    )


NOTEBOOKS = Path(__file__).parent / "_build" / "notebooks"


def offer_notebook(app, name, source):
    """Put a link to the notebook of a tutorial, which tools/notebooks.py has written,
    below the title.
    """
    folder, _, page = name.partition("/")
    if folder == "tutorials" and (NOTEBOOKS / f"{page}.ipynb").exists():
        title, _, text = source[0].partition("\n")
        target = f"/_build/notebooks/{page}.ipynb"
        link = f"{{download}}`Download this page as a notebook <{target}>`"
        source[0] = f"{title}\n\n{link}\n{text}"


def setup(app):
    app.add_html_math_renderer(
        "mathml", (inline_formula, None), (displayed_formula, None)
    )
    app.connect("autodoc-process-docstring", escape_text)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("source-read", offer_notebook)
