"""strata - Strata's command line and run store, from Python: runs, comparisons and sweeps as rows with types and units.

    import strata
    run = strata.run("kmeans", machine="tom-ctrl-tmap", set={"link.bandwidth_mbytes_per_s": 80000})
    print(run.seconds, run["traffic_bytes.tx"], run.unit("stats.sm.warp_instructions"))
    table = strata.compare(["tom-baseline", "tom-ctrl-tmap"], ["kmeans", "bfs"])
    table.frame()                       # a data frame, where pandas is installed; table.write_csv(FILE) needs nothing

Nothing of a model is here: each function starts the command `strata` and reads the JSON that it writes (docs/results.md).
Which command that is: the environment's STRATA, or the one of the tree or installation that this file is of, or PATH's.
"""

import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

__all__ = ["Error", "Run", "Table", "bench", "command", "compare", "machines", "parameters", "run", "runs", "sweep",
           "why", "workloads"]

# Of the results what a table shows if nobody names columns; those that a row lacks are None.
COLUMNS = ("workload", "machine", "verified", "time_ps", "time_ps_error", "total_time_ps", "energy_total_pj",
           "traffic_bytes.tx", "traffic_bytes.rx", "traffic_bytes.stack_to_stack", "traffic_bytes.dram")
BENCH_COLUMNS = ("family", "form", "machine", "level", "time_ps", "time_ps_error", "mark", "program_ps", "energy_pj",
                 "bytes.tx", "bytes.rx", "bytes.dram", "why")


class Error(Exception):
    """The command's exit status was not 0. status is that (2: what was asked for is wrong; 1: results are not right),
    rows what it has given all the same."""

    def __init__(self, message, status, rows=None):
        super().__init__(message)
        self.status = status
        self.rows = rows


def command():
    """The path of the command that is started."""
    own = os.environ.get("STRATA")
    if own:
        return own
    here = os.path.dirname(os.path.realpath(__file__))
    for path in ("../build/src/cli/strata", "../build-quick/src/cli/strata", "../../../bin/strata"):
        path = os.path.normpath(os.path.join(here, path))
        if os.access(path, os.X_OK):
            return path
    path = shutil.which("strata")
    if not path:
        raise Error("no command strata: it is neither built beside this module nor in PATH; STRATA names it", 2)
    return path


def _start(words, store=None, cwd=None):
    """Starts the command with --json; its exit status, what it says, and the JSON, None if there is none."""
    environment = dict(os.environ)
    if store is not None:
        environment["STRATA_STORE"] = os.path.abspath(store)
    with tempfile.TemporaryDirectory(prefix="strata-") as scratch:
        path = os.path.join(scratch, "results.json")
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([command(), *words[:at], "--json", path, *words[at:]], env=environment, cwd=cwd, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
        except FileNotFoundError:
            data = None
    return done, data


def _checked(done, rows):
    if done.returncode:
        text = done.stderr.strip() or done.stdout.strip() or "strata gives exit status %d" % done.returncode
        raise Error(text, done.returncode, rows)
    return rows


def _text(value):
    """A setting's value as --set takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(settings):
    words = []
    for name, value in (settings or {}).items():
        words += ["--set", "%s=%s" % (name, _text(value))]
    return words


def _options(**values):
    """Options whose values are not None: size=, jobs=, no_what_if=. An underscore stands for the dash of a name."""
    words = []
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words


def _names(names):
    return [names] if isinstance(names, (str, os.PathLike)) else [os.fspath(name) for name in names]


class Run(Mapping):
    """A row: an object of the results (docs/results.md), or of strata bench. Keys may go inside, with a dot:
    run["traffic_bytes.tx"], run["stats.sm.warp_instructions"]. What nobody counts is None, as it is null there."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, key):
        inside = self.data
        rest = key
        while isinstance(inside, dict):
            if rest in inside:
                return inside[rest]
            first, dot, rest = rest.partition(".")
            if not dot or first not in inside:
                break
            inside = inside[first]
        raise KeyError(key)

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return "<strata.Run %s on %s, %s us>" % (self.get("workload"), self.get("machine"),
                                                  self.seconds and round(self.seconds * 1e6, 3))

    def unit(self, key):
        """The unit of a key's value, "" if it has none. Keys that end in one, as time_ps, need no other."""
        units = self.data.get("units", {})
        for name in (key, key.partition(".")[2]):
            if name in units:
                return units[name]
        last = key.rpartition("_")[2]
        if key.startswith("traffic_bytes.") or key.startswith("bytes."):
            return "bytes"
        return {"ps": "ps", "pj": "pJ", "seconds": "s", "bytes": "bytes", "w": "W"}.get(last, "")

    def _scaled(self, key, factor):
        value = self.get(key)
        return None if value is None else value * factor

    @property
    def seconds(self):
        """Of the kernels, or of a program of threads from main on."""
        return self._scaled("time_ps", 1e-12)

    @property
    def program_seconds(self):
        return self._scaled("total_time_ps" if "total_time_ps" in self.data else "program_ps", 1e-12)

    @property
    def joules(self):
        return self._scaled("energy_total_pj" if "energy_total_pj" in self.data else "energy_pj", 1e-12)

    @property
    def verified(self):
        return self.get("verified") is True


class Table(Sequence):
    """Rows in their order. columns are the names that frame, write_csv and column know, without more names."""

    def __init__(self, rows, columns=COLUMNS):
        self.rows = [row if isinstance(row, Run) else Run(row) for row in rows]
        self.columns = tuple(columns)

    def __getitem__(self, index):
        return Table(self.rows[index], self.columns) if isinstance(index, slice) else self.rows[index]

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        return "<strata.Table of %d rows>" % len(self.rows)

    def column(self, name):
        """A list, None where a row has no such value."""
        return [row.get(name) for row in self.rows]

    def units(self, columns=None):
        """The units of columns that have one."""
        found = {}
        for name in columns or self.columns:
            unit = next((row.unit(name) for row in self.rows if row.unit(name)), "")
            if unit:
                found[name] = unit
        return found

    def where(self, **values):
        """The rows whose values are these: table.where(machine="tom-ideal")."""
        return Table([row for row in self.rows if all(row.get(k) == v for k, v in values.items())], self.columns)

    def speedups(self, over, by="workload", key="time_ps"):
        """For each row its key's value in the row of machine `over` with the same `by`, over its own; None where one of
        them is not there, or not verified."""
        base = {row.get(by): row.get(key) for row in self.rows if row.get("machine") == over and row.verified}
        return [base[row.get(by)] / row.get(key) if row.verified and base.get(row.get(by)) and row.get(key) else None
                for row in self.rows]

    def frame(self, columns=None):
        """A pandas.DataFrame; its attrs["units"] has the units."""
        import pandas  # pylint: disable=import-outside-toplevel

        names = list(columns or self.columns)
        frame = pandas.DataFrame({name: self.column(name) for name in names}, columns=names)
        frame.attrs["units"] = self.units(names)
        return frame

    def write_csv(self, path, columns=None):
        """A line of names, and one for each row; what is None is empty."""
        names = list(columns or self.columns)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            for row in self.rows:
                writer.writerow(["" if row.get(name) is None else row.get(name) for name in names])


def _program(program, arguments):
    """A workload's name is a word; with arguments, or a path, it is a program."""
    program = os.fspath(program)
    return ["--", program, *map(str, arguments)] if arguments or os.sep in program else [program]


def run(program, *arguments, machine=None, set=None, size=None, timeout=None, verify=None, expect=None, store=None,
        cwd=None, **options):
    """Runs a workload by its name, or a program with its arguments; the Run of its process with the longest time.
    options: the command's others, as only="profiler", fast_forward=3, save_checkpoint=FILE, checkpoint=FILE, threads=2."""
    words = ["run", *_options(machine=machine, size=size, timeout=timeout, verify=verify, expect=expect, **options),
             *_settings(set), *_program(program, arguments)]
    done, data = _start(words, store, cwd)
    rows = Table(data or [])
    _checked(done, rows)
    if not rows:
        raise Error("the program has no results", 1, rows)
    return max(rows, key=lambda row: row.get("time_ps") or 0)


def compare(machines, programs, set=None, size=None, timeout=None, verify=None, expect=None, jobs=None, resume=False,
            store=None, **options):
    """Workloads by their names, or one program as a list of words with a path, on machines; a Table."""
    programs = _names(programs)
    if not programs:
        raise Error("compare needs programs: workloads by their names, or a path and its arguments", 2)
    is_program = os.sep in programs[0]
    words = ["compare", "--machines", ",".join(_names(machines)),
             *_options(size=size, timeout=timeout, verify=verify, expect=expect, jobs=jobs, resume=resume, **options),
             *_settings(set), *(["--"] if is_program else []), *programs]
    done, data = _start(words, store)
    return _checked(done, Table(data or []))


def bench(*families, machines=None, set=None, size=None, timeout=None, jobs=None, resume=False, store=None, **options):
    """Families at every level of near-data processing (docs/one-bench.md), with sampled=True by samples; a Table."""
    words = ["bench", *_options(machines=",".join(_names(machines)) if machines else None, size=size, timeout=timeout,
                                jobs=jobs, resume=resume, **options), *_settings(set), *families]
    done, data = _start(words, store)
    return _checked(done, Table(data or [], BENCH_COLUMNS))


def sweep(file=None, machines=None, programs=None, axes=None, set=None, jobs=None, cwd=None, **options):
    """A sweep's file, or its machines, programs and axes ({parameter: values}); a Table, whose rows have the settings of
    the axes as columns, typed as the parameters are. Its runs are kept where sweeps keep theirs, below cwd."""
    if file is None:
        if not (machines and programs and axes):
            raise Error("sweep needs a file, or machines=, programs= and axes={PARAMETER: VALUES}", 2)
        text = {"machines": _names(machines), "programs": _names(programs),
                "axes": {name: [_text(value) for value in values] for name, values in axes.items()}}
        with tempfile.TemporaryDirectory(prefix="strata-") as scratch:
            file = os.path.join(scratch, "python.yaml")
            with open(file, "w", encoding="utf-8") as out:
                for key in ("machines", "programs"):
                    out.write("%s: [%s]\n" % (key, ", ".join(text[key])))
                out.write("axes:\n" + "".join("  %s: [%s]\n" % (k, ", ".join(v)) for k, v in text["axes"].items()))
            return sweep(file, set=set, jobs=jobs, cwd=cwd, **options)
    words = ["sweep", os.path.abspath(file), *_options(jobs=jobs, **options), *_settings(set)]
    done, data = _start(words, cwd=cwd)
    rows, names = [], []
    for one in (data or {}).get("runs", []):
        if not one.get("done") or not one.get("result"):
            continue
        row = dict(one["result"], point=one["point"], is_pareto=one["is_pareto"], speedup=one["speedup"],
                   settings=one["settings"], **one["values"])
        names += [name for name in one["values"] if name not in names]
        rows.append(row)
    return _checked(done, Table(rows, ("point", "workload", "machine", *names, *COLUMNS[2:], "speedup", "is_pareto")))


def runs(workload=None, machine=None, verified=False, last=None, store=None):
    """What the run store holds, the oldest first; a Table."""
    words = ["runs", "export", *_options(workload=workload, machine=machine, verified=verified, last=last)]
    done, data = _start(words, store)
    return _checked(done, Table(data or []))


def why(program, *arguments, machine=None, set=None, size=None, jobs=None, store=None, **options):
    """What strata why --json gives, an object whose first key is the cause (docs/why.md)."""
    words = ["why", *_options(machine=machine, size=size, jobs=jobs, **options), *_settings(set),
             *_program(program, arguments)]
    done, data = _start(words, store)
    return _checked(done, data)


def _list(*words):
    done = subprocess.run([command(), "list", *words, "--json"], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return _checked(done, json.loads(done.stdout) if done.stdout else [])


def parameters(pattern=None, machine=None):
    """Name: an object with default (of a machine's that is named its value), unit, min, max, doc and source."""
    rows = _list("params", *([pattern] if pattern else []), *(["--machine", machine] if machine else []))
    return {row["name"]: row for row in rows}


def machines():
    """The machines' names and summaries."""
    return {row["name"]: row["summary"] for row in _list("machines")}


def workloads(machine=None):
    """The workloads' names, all or those that a machine can run."""
    return [row["name"] for row in _list("workloads", *(["--machine", machine] if machine else []))]
