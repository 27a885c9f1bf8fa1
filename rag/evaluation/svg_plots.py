"""Plots as inline SVG: no script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 340, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 18, 12, 40  # margins that hold the axis labels
TICKS = 5
COLOURS = ("#2563a8", "#b4472e", "#3a7d44", "#7a4d9f")  # told apart by the common colour blindness


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points (x, y) in the units of the axes, drawn as a line or as dots.

    ``sizes`` are the dots' radii in pixels, ``titles`` what shows when one is pointed at.
    """

    label: str
    points: Sequence[tuple[float, float]]
    line: bool = True
    sizes: Sequence[float] = ()
    titles: Sequence[str] = ()


def plot(
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    diagonal: bool = False,
) -> str:
    """Return an SVG figure; ``diagonal`` draws the line of honesty from corner to corner."""
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        f' aria-label="{escape(y_label)} against {escape(x_label)}">',
        *_axes(x_label, y_label, x_range, y_range),
    ]
    if diagonal:
        (x0, y0), (x1, y1) = _place(0, 0, (0, 1), (0, 1)), _place(1, 1, (0, 1), (0, 1))
        parts.append(
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" class="honest"/>'
        )
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = [_place(x, y, x_range, y_range) for x, y in one.points]
        if one.line and len(places) > 1:
            joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(
                f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
            )
        for at, (x, y) in enumerate(places):
            radius = one.sizes[at] if one.sizes else 3.0
            title = f"<title>{escape(one.titles[at])}</title>" if one.titles else ""
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"'
                f' fill-opacity="0.6">{title}</circle>'
            )
        parts.append(
            f'<text x="{LEFT + 8}" y="{TOP + 14 + 14 * number}" style="fill:{colour}">'
            f"{escape(one.label)}</text>"
            if len(series) > 1
            else ""
        )
    return "".join([*parts, "</svg>"])


def bars(shares: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> str:
    """Return one stacked bar per row: its label, and (class, share) of each part."""
    high, gap, label = 20, 8, 96
    height = len(shares) * (high + gap)
    parts = [f'<svg viewBox="0 0 640 {height}" width="640" height="{height}" role="img">']
    for row, (name, own) in enumerate(shares):
        top, at = row * (high + gap), float(label)
        parts.append(f'<text x="0" y="{top + 14}">{escape(name)}</text>')
        for kind, share in own:
            wide = share * (640 - label)
            parts.append(
                f'<rect x="{at:.1f}" y="{top}" width="{wide:.1f}" height="{high}"'
                f' class="level-{escape(kind)}"><title>{escape(kind)} {share:.1%}</title></rect>'
            )
            if share > 0.09:
                parts.append(
                    f'<text x="{at + 5:.1f}" y="{top + 14}" class="inside">'
                    f"{escape(kind)} {share:.0%}</text>"
                )
            at += wide
    return "".join([*parts, "</svg>"])


def _axes(
    x_label: str, y_label: str, x_range: tuple[float, float], y_range: tuple[float, float]
) -> list[str]:
    parts = []
    for tick in range(TICKS + 1):
        share = tick / TICKS
        x_value = x_range[0] + share * (x_range[1] - x_range[0])
        y_value = y_range[0] + share * (y_range[1] - y_range[0])
        x, bottom = _place(x_value, y_range[0], x_range, y_range)
        left, y = _place(x_range[0], y_value, x_range, y_range)
        parts.append(
            f'<line x1="{left}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
        )
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15:.1f}" class="tick">{x_value:g}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" class="tick end">{y_value:.2g}</text>')
    middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text x="{middle_x}" y="{HEIGHT - 6}" class="tick">{escape(x_label)}</text>')
    parts.append(
        f'<text transform="translate(12 {middle_y}) rotate(-90)" class="tick">'
        f"{escape(y_label)}</text>"
    )
    return parts


def _place(
    x: float, y: float, x_range: tuple[float, float], y_range: tuple[float, float]
) -> tuple[float, float]:
    across = (x - x_range[0]) / ((x_range[1] - x_range[0]) or 1)
    up = (y - y_range[0]) / ((y_range[1] - y_range[0]) or 1)
    return (
        LEFT + across * (WIDTH - LEFT - RIGHT),
        HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM),
    )
