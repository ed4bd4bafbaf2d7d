"""tom-figure-8.py - draws figure 8 of TOM (ISCA'16) for a paper, as SVG: the speed-up of four configurations over the GPU
without near-data processing, our bars beside the numbers that the paper states in its text.

    PYTHONPATH=python python3 examples/tom-figure-8.py --out figure-8.svg              # small inputs: minutes
    PYTHONPATH=python python3 examples/tom-figure-8.py --size paper --jobs 16          # hours
"""
import argparse
import math
from xml.sax.saxutils import escape

import strata

BASE = "tom-baseline"
# Colours that differ in lightness, too: for colour-blind readers and for print.
BARS = (("tom-noctrl-bmap", "no-ctrl + bmap", "#d9d9d9"), ("tom-noctrl-tmap", "no-ctrl + tmap", "#a6bddb"),
        ("tom-ctrl-bmap", "ctrl + bmap", "#3690c0"), ("tom-ctrl-tmap", "ctrl + tmap", "#023858"))
WORKLOADS = ("backprop", "bfs", "kmeans", "cfd", "heartwall", "libor", "lps", "fwt", "rays", "lud")
# papers/tom/results.csv: TOM-01, TOM-28; of ctrl + tmap.
PUBLISHED = {"geo. mean": 1.30, "bfs": 1.21}
HEIGHT, PLOT, LEFT, TOP, GROUP = 300, 190, 56, 56, 66


def speedups(size, workloads, jobs, store):
    """{workload: [of each bar]}, with the mean over them."""
    table = strata.compare([BASE] + [machine for machine, _, _ in BARS], workloads, size=size, jobs=jobs, store=store)
    of = dict(zip(zip(table.column("workload"), table.column("machine")), table.speedups(BASE)))
    groups = {name: [of[name, machine] for machine, _, _ in BARS] for name in workloads}
    groups["geo. mean"] = [math.exp(sum(math.log(of[name, machine]) for name in workloads) / len(workloads))
                           for machine, _, _ in BARS]
    return groups


def draw(groups, title):
    top = max(max(bars) for bars in groups.values())
    top = max(1.4, math.ceil(5 * max(top, *PUBLISHED.values())) / 5)
    width = LEFT + GROUP * len(groups) + 16

    def y(value):
        return TOP + PLOT * (1 - value / top)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">' %
           (width, HEIGHT), '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="16" font-size="13" font-weight="bold">%s</text>' % (LEFT, escape(title)),
           '<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">Speed-up over %s</text>' %
           (TOP + PLOT / 2, BASE)]
    x = LEFT
    for _, name, colour in BARS:
        out.append('<rect x="%d" y="26" width="10" height="10" fill="%s"/><text x="%d" y="35">%s</text>' %
                   (x, colour, x + 14, name))
        x += 108
    out.append('<circle cx="%d" cy="31" r="4" fill="none" stroke="#c00" stroke-width="2"/>'
               '<text x="%d" y="35">published</text>' % (x + 5, x + 14))
    for step in range(int(round(top * 5)) + 1):
        value = step / 5
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%.1f</text>' %
                   (LEFT, width - 16, y(value), y(value), "#000" if value in (0, 1) else "#ddd", LEFT - 5, y(value) + 4, value))
    for place, (name, bars) in enumerate(groups.items()):
        left = LEFT + GROUP * place + 6
        for number, value in enumerate(bars):
            out.append('<rect class="bar" x="%.1f" y="%.1f" width="13" height="%.1f" fill="%s" stroke="#333" stroke-width=".5">'
                       '<title>%s, %s: %.3f</title></rect>' %
                       (left + 13.5 * number, y(value), PLOT * value / top, BARS[number][2], name, BARS[number][1], value))
        if name in PUBLISHED:
            out.append('<circle cx="%.1f" cy="%.1f" r="4" fill="none" stroke="#c00" stroke-width="2"/>' %
                       (left + 13.5 * 3 + 6.5, y(PUBLISHED[name])))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (left + 27, TOP + PLOT + 16, name))
    return "\n".join(out + ["</svg>", ""])


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    words.add_argument("--out", default="figure-8.svg")
    words.add_argument("--size", default="small", choices=("small", "paper"))
    words.add_argument("--workloads", default=",".join(WORKLOADS), help="with commas between")
    words.add_argument("--jobs", type=int)
    words.add_argument("--store", help="the run store (default: .strata/runs.db, or STRATA_STORE)")
    o = words.parse_args()
    groups = speedups(o.size, o.workloads.split(","), o.jobs, o.store)
    with open(o.out, "w", encoding="utf-8") as file:
        file.write(draw(groups, "TOM, figure 8: %s inputs" % o.size))
    for name, bars in groups.items():
        print("%-12s" % name, *("%s %.2f" % (BARS[i][1], value) for i, value in enumerate(bars)), sep="  ")


if __name__ == "__main__":
    main()
