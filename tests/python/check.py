"""check.py STRATA SOURCE: what strata.py returns is what the command writes; types, units, mistakes; the example's drawing."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

binary, source = map(os.path.realpath, sys.argv[1:3])
os.environ["STRATA"] = binary
for name in ("STRATA_STORE", "STRATA_MACHINES", "STRATA_FAMILIES"):
    os.environ.pop(name, None)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "python"))
import strata  # noqa: E402  pylint: disable=wrong-import-position

count = failed = 0


def hold(what, is_right, got=None):
    global count, failed
    count += 1
    if not is_right:
        failed += 1
        print("python: FAILED: %s%s" % (what, "" if got is None else ": %r" % (got,)))


def refused(what, text, status, function, *arguments, **options):
    try:
        hold(what, False, function(*arguments, **options))
    except strata.Error as error:
        hold(what, text in str(error) and error.status == status, (error.status, str(error)))


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    workload = os.path.join(os.path.dirname(binary), "../../workloads/nn")
    small = ("--places", 1024)
    run = strata.run(workload, *small, machine="tom-baseline", set={"link.bandwidth_mbytes_per_s": 80000, "run.account": True})
    with open("own.json", "w", encoding="utf-8") as file:
        file.write(subprocess.run([binary, "run", "--quiet", "--machine", "tom-baseline", "--set", "run.account=true",
                                   "--set", "link.bandwidth_mbytes_per_s=80000", "--json", "-", "--", workload, "--places",
                                   "1024"], check=True, text=True, stdout=subprocess.PIPE).stdout)
    with open("own.json", encoding="utf-8") as file:
        own = json.load(file)[0]
    hold("the same hash", run["run_hash"] == own["run_hash"], run["run_hash"])
    hold("seconds", run.seconds == own["time_ps"] * 1e-12 and run.program_seconds == own["total_time_ps"] * 1e-12)
    hold("joules", run.joules == own["energy_total_pj"] * 1e-12)
    hold("inside an object", run["traffic_bytes.tx"] == own["traffic_bytes"]["tx"])
    hold("a name with dots", run["stats.sm.warp_instructions"] == own["stats"]["sm.warp_instructions"])
    hold("null is None", run["traffic_bytes.link"] is None)
    hold("a setting is typed", run["params.link.bandwidth_mbytes_per_s"] == 80000 and run["params.run.account"] is True)
    hold("no such key", run.get("traffic_bytes.up") is None and "stats.no" not in run)
    hold("units", (run.unit("stats.sm.warp_instructions"), run.unit("params.l2.size_bytes"), run.unit("time_ps"),
                   run.unit("workload")) == ("instructions", "bytes", "ps in kernels", ""), run.unit("time_ps"))
    hold("verified", run.verified)

    table = strata.compare(["tom-baseline", "tom-ideal"], "nn", resume=False)
    hold("a table", len(table) == 2 and table.column("machine") == ["tom-baseline", "tom-ideal"])
    hold("speed-ups", table.speedups("tom-baseline")[0] == 1 and
         table.speedups("tom-baseline")[1] == table[0]["time_ps"] / table[1]["time_ps"])
    hold("where", len(table.where(machine="tom-ideal")) == 1)
    table.write_csv("table.csv")
    with open("table.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()
    hold("csv", len(lines) == 3 and lines[0].startswith("workload,machine,verified,time_ps,"), lines)
    try:
        import pandas  # noqa: F401  pylint: disable=unused-import
        frame = table.frame()
        hold("a frame", list(frame["machine"]) == ["tom-baseline", "tom-ideal"] and frame.attrs["units"]["time_ps"])
    except ImportError:
        pass

    points = strata.sweep(machines="tom-baseline", programs=["nn"], axes={"link.bandwidth_mbytes_per_s": ["20GB/s", "40GB/s"]})
    hold("a sweep's settings are numbers", points.column("link.bandwidth_mbytes_per_s") == [20000, 40000], points.rows)
    hold("more bandwidth, less time", points[0]["time_ps"] > points[1]["time_ps"])
    rows = strata.bench("nn", machines="one-gpu")
    hold("a bench", rows[0]["level"] == "gpu" and rows[0]["bytes.dram"] > 0 and rows[0].seconds > 0)
    hold("a why", strata.why("nn", no_what_if=True)["cause"] is None)
    hold("the store", len(strata.runs()) >= 5 and len(strata.runs(machine="tom-ideal")) == 1 and len(strata.runs(last=1)) == 1)
    hold("parameters", strata.parameters("l2.size_bytes")["l2.size_bytes"]["unit"] == "bytes")
    hold("machines and workloads", "one-csp" in strata.machines() and "nn" in strata.workloads("tom-baseline"))

    at = os.path.join(scratch, "at.ckpt")
    strata.run("gaussian", machine="tom-baseline", fast_forward=2, save_checkpoint=at)
    from_there = strata.run("gaussian", machine="tom-ideal", checkpoint=at)
    without = strata.run("gaussian", machine="tom-ideal", fast_forward=2)
    hold("from a checkpoint", from_there.verified and from_there["time_ps"] == without["time_ps"],
         (from_there["time_ps"], without["time_ps"]))
    strata.bench("nn", machines="one-gpu", sampled=True)
    hold("a bench by samples", strata.runs(last=1)[0]["params.run.mode"] == "sampled", strata.runs(last=1)[0]["params.run.mode"])

    refused("no such option", "unknown option '--treads'", 2, strata.run, "nn", treads=2)
    refused("no such machine", "no machine 'tom-idea'; did you mean", 2, strata.run, "nn", machine="tom-idea")
    refused("no such workload", "nnn", 2, strata.run, "nnn")
    refused("no such parameter", "unknown parameter", 2, strata.run, "nn", set={"l9.size": 1})
    refused("no axes", "sweep needs a file, or machines=", 2, strata.sweep, machines="tom-baseline", programs=["nn"])
    refused("no machines", "sweep needs a file, or machines=", 2, strata.sweep, programs="nn", axes={"run.seed": [1]})
    refused("nothing to compare", "compare needs programs", 2, strata.compare, ["tom-baseline"], [])
    rows = [{"workload": "w", "machine": m, "verified": v, "time_ps": 4} for m, v in (("a", True), ("b", False))]
    hold("no speed-up over or of what is not verified", strata.Table(rows).speedups("a") == [1, None] and
         strata.Table(rows).speedups("b") == [None, None])
    refused("results that are not right", "", 1, strata.run, workload, *small, expect="something else")

    example = subprocess.run([sys.executable, os.path.join(source, "examples/tom-figure-8.py"), "--workloads", "nn",
                              "--out", "figure.svg"], env=dict(os.environ, PYTHONPATH=os.path.join(source, "python"),
                                                               PYTHONDONTWRITEBYTECODE="1"),
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    hold("the example", example.returncode == 0, example.stdout)
    svg = xml.etree.ElementTree.parse("figure.svg").getroot() if example.returncode == 0 else []
    texts = [node.text or "" for node in svg.iter() if node.tag.endswith("text")] if len(svg) else []
    bars = [node for node in svg.iter() if node.get("class") == "bar"] if len(svg) else []
    hold("the example's bars: four of one workload, four of the mean", len(bars) == 8, len(bars))
    hold("the example's title, axis and legend", all(any(word in text for text in texts) for word in
                                                     ("Speed-up", "ctrl + tmap", "nn", "published")), texts)

print("python: %d checks, %d failed" % (count, failed))
sys.exit(failed > 0)
