"""A task and its data set in the files that openml-python keeps of them."""

import numpy as np

SPACE = 'xmlns:oml="http://openml.org/openml"'
TASK = """<oml:task {space}>
  <oml:task_id>{task}</oml:task_id>
  <oml:task_type_id>1</oml:task_type_id>
  <oml:task_type>Supervised Classification</oml:task_type>
  <oml:input name="source_data">
    <oml:data_set>
      <oml:data_set_id>{data}</oml:data_set_id>
      <oml:target_feature>{target}</oml:target_feature>
    </oml:data_set>
  </oml:input>
  <oml:input name="estimation_procedure">
    <oml:estimation_procedure>
      <oml:type>crossvalidation</oml:type>
      <oml:data_splits_url>nowhere</oml:data_splits_url>
      <oml:parameter name="number_repeats">1</oml:parameter>
      <oml:parameter name="number_folds">3</oml:parameter>
    </oml:estimation_procedure>
  </oml:input>
</oml:task>
"""
DESCRIPTION = """<oml:data_set_description {space}>
  <oml:id>{data}</oml:id>
  <oml:name>{name}</oml:name>
  <oml:version>1</oml:version>
  <oml:format>ARFF</oml:format>
  <oml:url>nowhere</oml:url>
</oml:data_set_description>
"""
FEATURE = """  <oml:feature>
    <oml:index>{index}</oml:index>
    <oml:name>{name}</oml:name>
    <oml:data_type>{kind}</oml:data_type>{values}
  </oml:feature>
"""
VALUES = "".join(f"<oml:nominal_value>{value}</oml:nominal_value>" for value in "01")


def write_task(root, task_id, data_id, target, name="made-up", n_samples=60):
    """Write a task of two classes and three folds below openml's root, and return the folder of its data set."""
    ids = {"task": task_id, "data": data_id, "target": target, "name": name, "space": SPACE}
    server = root / "org" / "openml" / "www"
    task, data = server / "tasks" / str(task_id), server / "datasets" / str(data_id)
    for folder in (task, data):
        folder.mkdir(parents=True)
    (task / "task.xml").write_text(TASK.format(**ids))
    (task / "datasplits.arff").write_text(_splits(n_samples))
    (data / "description.xml").write_text(DESCRIPTION.format(**ids))
    (data / "features.xml").write_text(_features(target))
    (data / "dataset.arff").write_text(_table(target, n_samples))
    return data


def _splits(n_samples, n_folds=3):
    lines = [
        f"{'TEST' if row % n_folds == fold else 'TRAIN'},{row},0,{fold}"
        for fold in range(n_folds)
        for row in range(n_samples)
    ]
    columns = ("type {TRAIN,TEST}", "rowid INTEGER", "repeat INTEGER", "fold INTEGER")
    return _arff("splits", columns, lines)


def _features(target):
    numbers = [FEATURE.format(index=i, name=f"V{i}", kind="numeric", values="") for i in range(4)]
    classes = FEATURE.format(index=4, name=target, kind="nominal", values=VALUES)
    return f"<oml:data_features {SPACE}>\n{''.join(numbers)}{classes}</oml:data_features>\n"


def _table(target, n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 4))
    lines = [",".join(f"{x:.4f}" for x in row) + f",{int(row[0] > 0)}" for row in X]
    return _arff("made-up", [*(f"V{i} REAL" for i in range(4)), f"{target} {{0,1}}"], lines)


def _arff(relation, columns, lines):
    head = [f"@RELATION {relation}", *(f"@ATTRIBUTE {column}" for column in columns), "@DATA"]
    return "\n".join([*head, *lines]) + "\n"
