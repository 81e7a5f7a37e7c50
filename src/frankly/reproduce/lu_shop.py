"""Lu et al. 2009, section 5: what a shop earns by mining together with another."""

from dataclasses import dataclass

from frankly.reproduce.figure import Cell, Column, Figure, Line, Note, Panel
from frankly.reproduce.lab import Lab

__all__ = ["Shop", "figure"]


@dataclass(frozen=True)
class Shop:
    """The shop of section 5.

    Examples
    --------
    >>> shop = Shop()
    >>> shop.everybody(), shop.chosen(0.03), shop.chosen(0.03) - shop.everybody()
    (21000.0, 26300.0, 5300.0)
    """

    people: int = 1000
    leaflet: float = 2
    income: float = 500
    response: float = 0.01
    share: float = 0.3
    mining: float = 1000
    days: int = 7

    def everybody(self) -> float:
        """Give the week's income when everybody gets a leaflet."""
        return self.days * self.people * (self.response * self.income - self.leaflet)

    def chosen(self, response: float) -> float:
        """Give the week's income when only customers who fit the mined rules get one."""
        each = response * self.income - self.leaflet
        return round(self.days * self.people * self.share * each - self.mining, 6)

    def break_even(self) -> float:
        """Give the response at which mining just pays."""
        wanted = (self.everybody() + self.mining) / (self.days * self.people * self.share)
        return (wanted + self.leaflet) / self.income


def figure(lab: Lab) -> Figure:
    """Do the sums again, and ask how good the rules must be."""
    del lab
    shop = Shop()
    responses = tuple(step / 200 for step in range(1, 10))
    rows: list[tuple[Cell, ...]] = [
        (r, shop.everybody(), shop.chosen(r), shop.chosen(r) - shop.everybody()) for r in responses
    ]
    even = shop.break_even()
    return Figure(
        name="lu-shop",
        title=f"Mining together pays from a response of {even:.1%} on; at the paper's 3% it brings "
        "5,300 yuan a week",
        source="Lu et al. 2009, section 5",
        claim="Leaflets to everybody bring 21,000 yuan a week; to the 30% who fit the mined rules, "
        "with a response of 3%, 26,300: 5,300 more.",
        found=f"The sums are right: {shop.everybody():,.0f}, {shop.chosen(0.03):,.0f} and "
        f"{shop.chosen(0.03) - shop.everybody():,.0f}. That the response triples is assumed, not "
        "derived from any tree.",
        better=f"All of it hangs on that response: below {even:.2%} mining loses money. So a shop "
        "should ask for the accuracy of the rules with its interval, which randomized data can "
        "give (`zhan-feedback`), before it pays for them.",
        caption="Arithmetic, nobody sampled: 1,000 customers a day, 2 yuan a leaflet, 500 yuan a "
        "sale, 1,000 yuan a week for mining.",
        panels=(panel(shop, responses),),
        columns=(
            Column("response of the chosen"),
            Column("everybody, yuan a week", ",.0f"),
            Column("chosen, yuan a week", ",.0f"),
            Column("more", "+,.0f"),
        ),
        rows=rows,
    )


def panel(shop: Shop, responses: tuple[float, ...]) -> Panel:
    """Draw the week's income against the response."""
    ends = (responses[0], responses[-1])
    lines = (
        Line(
            "chosen\ncustomers", responses, [shop.chosen(r) / 1000 for r in responses], tone="teal"
        ),
        Line("everybody", ends, [shop.everybody() / 1000] * 2, tone="grey", look="dashed"),
        Line("", (0.03,), (shop.chosen(0.03) / 1000,), tone="brick", look="dots"),
    )
    notes = (
        Note(0.0295, 30.5, "the paper: 26,300", "brick", "right"),
        Note(shop.break_even() + 0.0012, 18.4, f"even at {shop.break_even():.2%}", "ink"),
    )
    return Panel(
        "Income of a week",
        "response of the chosen customers",
        "thousand yuan",
        lines,
        (0, 0.047),
        (-5, 45),
        percent=False,
        x_percent=True,
        x_ticks=[(r / 100, f"{r}%") for r in range(5)],
        notes=notes,
    )
