"""The words of made facts."""

from __future__ import annotations

PEOPLE = (
    "Ana Petrov", "James Okoro", "Li Wei", "Sofia Marino", "Karl Weber", "Amara Diallo", "Noah Fischer", "Ingrid Dahl", "Omar Haddad",
    "Priya Nair", "Tomás Silva", "Hannah Cole", "the auditor", "the supervisor", "the night shift", "the head nurse", "the caretaker",
    "the line manager", "the project office", "the sales team", "the customer", "the supplier", "the trainee", "the finance department",
)  # fmt: skip
THINGS = (
    "the budget", "the contract", "the survey", "the first draft", "the test report", "the delivery", "the new logo", "the east wing",
    "the web shop", "the order form", "the safety check", "the training plan", "the invoice", "the press release", "the backup",
)  # fmt: skip
ITEMS = (
    "model A", "model B", "the Basic plan", "the Pro plan", "the Team plan", "rye bread", "oat bread", "the red wire", "the old pump", "the new pump",
    "the ferry", "the train", "route 4", "route 9", "the Alto lamp", "the Vento fan", "lot 12", "lot 15", "the north office", "the south office",
    "almond milk", "soy milk", "the blue tablet", "the white tablet", "cabin class", "the day ticket", "the week ticket", "Harbour Inn", "Hotel Mira",
)  # fmt: skip
CITIES = (
    "Bergen", "Leeds", "Porto", "Turin", "Ghent", "Malmö", "Graz", "Lyon", "Kraków", "Split", "Basel", "Cork", "Bilbao", "Tartu",
)  # fmt: skip
DONE = (
    "approved", "signed", "checked", "prepared", "rejected", "reviewed", "paid for", "designed", "requested", "cancelled", "corrected",
    "ordered",
)  # fmt: skip
MET = (
    "trained", "hired", "called", "invited", "replaced", "defeated", "succeeded", "accompanied", "informed", "examined", "thanked",
    "reported", "taught", "followed",
)  # fmt: skip
ACTS = (
    "wear a badge", "park in the yard", "work from home", "use the side door", "bring guests", "sign the list", "carry a phone",
    "pay in advance", "send a copy", "open the valve", "eat at the desk", "book online", "leave early", "wear gloves", "share the code",
)  # fmt: skip
GROUPS = (
    "visitors", "interns", "permanent staff", "drivers", "tenants", "students", "members", "guests", "contractors", "nurses", "patients",
    "parents", "new users", "administrators",
)  # fmt: skip
DUTIES = {
    "must": ("must", "have to", "are required to", "need to", "are obliged to"),
    "may": ("may", "can", "are allowed to", "are free to", "are permitted to"),
    "must not": ("must not", "may not", "are not allowed to", "are forbidden to", "cannot"),
    "need not": ("need not", "do not have to", "are not required to", "do not need to"),
}
AGAINST = {"must": ("must not", "need not"), "may": ("must not",), "must not": ("may", "must"), "need not": ("must",)}
MEASURES = (
    ("costs", "{} euros", ("costs more than", "is more expensive than"), ("costs less than", "is cheaper than")),
    ("weighs", "{} kg", ("weighs more than", "is heavier than"), ("weighs less than", "is lighter than")),
    ("takes", "{} minutes", ("takes longer than", "is slower than"), ("takes less time than", "is faster than")),
    ("has", "{} seats", ("has more seats than", "seats more people than"), ("has fewer seats than", "seats fewer people than")),
    ("contains", "{} g of sugar", ("contains more sugar than", "has more sugar than"), ("contains less sugar than", "has less sugar than")),
    ("lasts", "{} hours", ("lasts longer than",), ("does not last as long as", "lasts less long than")),
    ("uses", "{} watts", ("uses more power than", "needs more power than"), ("uses less power than", "needs less power than")),
)  # fmt: skip
STEPS = (
    "the form is filled in", "the deposit is paid", "the keys are handed over", "the room is inspected", "the server is restarted",
    "the cache is cleared", "the log is saved", "a ticket is opened", "the doctor is called", "the wound is cleaned", "the dough rests",
    "the oven is heated", "the sauce is stirred", "the parcel is weighed", "the label is printed", "an e-mail is sent", "the alarm is tested",
)  # fmt: skip
IFS = (
    ("the goods are unopened", "the goods have been opened"), ("you are a member", "you are not a member"),
    ("it rains", "it stays dry"), ("the notice is in writing", "the notice is only oral"), ("the device is registered", "the device is not registered"),
    ("the invoice is paid on time", "the invoice is paid late"), ("the child is under six", "the child is six or older"),
    ("the meter is sealed", "the meter is not sealed"), ("the trip is booked online", "the trip is booked at the counter"),
)  # fmt: skip
THENS = (
    ("the fee is refunded", "the fee is not refunded"), ("entry is free", "entry has to be paid"), ("the warranty applies", "the warranty does not apply"),
    ("a discount of 10 % is given", "no discount is given"), ("the tour takes place", "the tour does not take place"),
    ("the repair is covered", "the repair is not covered"), ("delivery costs nothing", "delivery is charged"),
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
COUNTED = (
    "patients had a headache", "seats were taken", "samples were clean", "members voted for it", "machines passed the test", "rooms have a balcony",
    "passengers arrived on time", "schools took part", "questions were answered", "tickets were sold",
)  # fmt: skip
UNITS = {
    "price": "{} EUR", "weight": "{} kg", "stock": "{} pieces", "margin": "{} %", "output": "{} W", "deposit": "{} EUR", "delivery time": "{} days",
    "noise": "{} dB",
}  # fmt: skip
