"""Units by name: what they measure and how much of it. A table, since a library of units costs half a second at import and milliseconds a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` base units of its dimension; `zero` is added before (temperatures)."""

    code: str
    dimension: str
    factor: float
    zero: float = 0.0


# code, factor, names (the first is the symbol; a plural ends in s where "+" stands)
_TABLE = {
    "mass": "mcg 1e-6 µg ug microgram+; mg 1e-3 milligram+ milligramme+; g 1 gram+ gramme+ gr; kg 1e3 kilogram+ kilo+; "
    "t 1e6 tonne+ ton+; lb 453.592 lbs; oz 28.3495 ounce+; stone 6350.29; jin 500",
    "length": "nm 1e-9 nanometre+ nanometer+; µm 1e-6 micron+ micrometre+ micrometer+; mm 1e-3 millimetre+ millimeter+; cm 0.01 centimetre+ centimeter+; "
    "m 1 metre+ meter+; km 1e3 kilometre+ kilometer+; mi 1609.344 mile+; yd 0.9144 yard+; ft 0.3048 foot feet; inch 0.0254 inches; nmi 1852",
    "time": "ms 1e-3 millisecond+; s 1 sec secs second+; min 60 mins minute+; h 3600 hr hrs hour+; day 86400 days; week 604800 weeks wk wks; "
    "fortnight 1209600 fortnights; month 2629800 months mo; year 31557600 years yr yrs annum; decade 315576000 decades; century 3155760000 centuries",
    "data": "B 1 byte+; kB 1e3 KB kilobyte+; MB 1e6 megabyte+; GB 1e9 gigabyte+; TB 1e12 terabyte+; PB 1e15 petabyte+; "
    "KiB 1024; MiB 1048576; GiB 1073741824; TiB 1099511627776",
    "data rate": "kbps 1e3 kbit/s; Mbps 1e6 Mbit/s; Gbps 1e9 Gbit/s",
    "power": "mW 1e-3 milliwatt+; W 1 watt+; kW 1e3 kilowatt+; MW 1e6 megawatt+; GW 1e9 gigawatt+; TW 1e12 terawatt+; hp 745.7 horsepower",
    "energy": "J 1 joule+; kJ 1e3 kilojoule+; MJ 1e6 megajoule+; Wh 3600; kWh 3.6e6 kilowatt-hour+; MWh 3.6e9; GWh 3.6e12; TWh 3.6e15; "
    "kcal 4184 kilocalorie+; cal 4.184 calorie+",
    "voltage": "mV 1e-3 millivolt+; V 1 volt+; kV 1e3 kilovolt+",
    "current": "mA 1e-3 milliamp+; A 1 amp+ ampere+",
    "charge": "mAh 1e-3; Ah 1",
    "frequency": "Hz 1 hertz; kHz 1e3 kilohertz; MHz 1e6 megahertz; GHz 1e9 gigahertz; rpm 0.0166667",
    "pressure": "Pa 1 pascal+; hPa 100; kPa 1e3 kilopascal+; MPa 1e6; bar 1e5 bars; mbar 100 millibar+; psi 6894.76; mmHg 133.322",
    "volume": "ml 1e-3 mL millilitre+ milliliter+; cl 0.01; dl 0.1 dL; l 1 L litre+ liter+; m³ 1e3 m3; gal 3.78541 gallon+; pint 0.473176 pints; "
    "quart 0.946353 quarts; cup 0.24 cups; tbsp 0.0148 tablespoon+; tsp 0.00493 teaspoon+; barrel 158.987 barrels",
    "area": "m² 1 m2 sqm; km² 1e6 km2; ha 1e4 hectare+; acre 4046.86 acres; sqft 0.092903; mu 666.667",
    "speed": "km/h 0.277778 kmh kph; mph 0.44704; m/s 1; knot 0.514444 knots kn",
    "temperature": "°C 1 Celsius; °F 0.5555556 Fahrenheit; kelvin 1",
    "level": "dB 1 decibel+",
    "business days": "business_day 1; business_hour 0.125",
}  # fmt: skip
_ZERO = {"°F": -32.0, "kelvin": -273.15}
# Symbols of one letter, and words that are others more often, count only beside a figure.
AFTER_FIGURES = frozenset(
    {
        "t",
        "g",
        "m",
        "s",
        "h",
        "B",
        "W",
        "J",
        "V",
        "A",
        "l",
        "L",
        "cal",
        "min",
        "sec",
        "bar",
        "mi",
        "ha",
        "hp",
        "in",
        "kn",
    }
)
WORKING = frozenset({"working", "business"})
RAISED = {
    ("square", "m"): "m²", ("square", "km"): "km²", ("square", "ft"): "sqft", ("cubic", "m"): "m³", ("cubic", "cm"): "ml",
}  # fmt: skip
# Words that may stand between a number and its unit.
BETWEEN = frozenset(
    "paid unpaid vacation holiday annual calendar working business full whole consecutive more additional extra further academic sick square "
    "cubic metric fluid nautical long short straight school trading further light us canadian australian american".split()
)
CURRENCIES = {
    "$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB",
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR", "sterling": "GBP", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY",
    "rmb": "CNY", "rupee": "INR", "rupees": "INR", "franc": "CHF", "francs": "CHF", "rubles": "RUB", "roubles": "RUB", "krona": "SEK", "kronor": "SEK",
    "krone": "NOK", "kroner": "NOK", "zloty": "PLN", "forint": "HUF", "forints": "HUF", "won": "KRW", "pesos": "MXN", "rand": "ZAR", "lira": "TRY",
} | {code.lower(): code for code in "USD EUR GBP JPY CNY INR CHF CAD AUD NZD SEK NOK DKK PLN CZK HKD SGD KRW BRL MXN ZAR TRY RUB".split()}  # fmt: skip
# Of which country a dollar or a krone is, only the word before it says: without one it is the first, or another that the documents are in.
FAMILIES = {"USD": frozenset("CAD AUD NZD HKD SGD".split()), "NOK": frozenset("DKK SEK".split())}
_NATIONS = {  # a currency's names: what it is of which nation
    "dollar dollars bucks": "us:USD american:USD canadian:CAD australian:AUD zealand:NZD kong:HKD singapore:SGD",
    "krone kroner krona kronor crown crowns": "norwegian:NOK danish:DKK swedish:SEK",
    "crown crowns koruna korunas": "czech:CZK", "pound pounds": "british:GBP egyptian:EGP", "franc francs": "swiss:CHF", "zloty zlotys": "polish:PLN",
    "forint forints": "hungarian:HUF", "yen": "japanese:JPY", "yuan": "chinese:CNY", "rupee rupees": "indian:INR", "peso pesos": "mexican:MXN", "lira": "turkish:TRY",
    "rand rands": "african:ZAR", "won": "korean:KRW", "real reais": "brazilian:BRL",
}  # fmt: skip
OF_NATIONS = {
    (nation, name): code
    for names, nations in _NATIONS.items()
    for name in names.split()
    for nation, _, code in (one.partition(":") for one in nations.split())
}
FIRST_OF_NATIONS = frozenset("new hong south".split())
CENT = "cent"
CENTS = {"cent": CENT, "cents": CENT, "ct": CENT, "pence": "GBP"}
OF_CENTS = frozenset({CENT, *"USD EUR CAD AUD NZD HKD SGD ZAR".split()})


def _units() -> tuple[dict[str, Unit], dict[str, Unit]]:
    by_code, by_name = {}, {}
    for dimension, rows in _TABLE.items():
        for row in rows.split("; "):
            code, factor, *names = row.split()
            unit = by_code[code] = by_name[code] = Unit(code, dimension, float(factor), _ZERO.get(code, 0.0))
            for name in names:
                by_name[name.rstrip("+")] = unit
                if name.endswith("+"):
                    by_name[name[:-1] + "s"] = unit
    return by_code, by_name


UNITS, _NAMES = _units()


def unit_named(text: str) -> Unit | None:
    """The unit of a word or symbol. Symbols are read as they are written, words in any case."""
    return _NAMES.get(text) or (_NAMES.get(text.lower()) if len(text) > 3 or text.islower() else None)


def in_base(amount: float, unit: str) -> float:
    """An amount of a unit in base units of its dimension; the amount itself where the unit is a currency or none."""
    known = UNITS.get(unit)
    return (amount + known.zero) * known.factor if known else amount
