"""Words by which a clause of an English sentence is told: finite verbs, and what follows them or comes before them.

Lists, since no part of speech is known: a word that is as often a noun ("costs", "needs") is in OFTEN_NOUNS and counts only
where what follows it cannot follow a noun.
"""

from __future__ import annotations

BE = frozenset("is are was were isn't aren't wasn't weren't".split())
AUXILIARIES = BE | frozenset(
    """
    has have had does do did can could may might must shall should will would cannot can't couldn't won't wouldn't shouldn't mustn't hasn't
    haven't hadn't doesn't don't didn't needn't
    """.split()
)
BASE_FOLLOWS = frozenset("can could may might must shall should will would do does did to".split())

# Third person, hardly ever nouns.
VERBS = frozenset(
    """
    accepts accrues achieves adds affects agrees allows announces appears applies arrives asks assumes becomes begins believes belongs brings builds
    captures carries causes chooses comes comprises connects consists contains continues contributes converts creates decides defines
    delivers demands denies depends describes determines develops differs discusses displays eats eliminates employs enables encourages
    ends ensures enters establishes exceeds excludes exists expects expires explains extends falls features finds follows forbids forms
    gains generates gets gives goes grows happens hears helps holds includes increases indicates introduces involves joins keeps knows
    lacks lasts lets lies limits loses maintains makes manages means meets mentions moves obtains occupies occurs offers operates
    organises organizes originates owns pays performs permits possesses prevents produces prohibits promotes protects provides publishes
    puts reaches receives recognises recognizes recommends reduces refers refuses relates remains removes replaces represents requires
    resides retains reveals says sees seems sells sends serves shares sits speaks specifies spends states stays stores suggests takes
    teaches tells tends thinks transforms tries understands wants wears weighs wins works writes
    """.split()
)
OFTEN_NOUNS = frozenset(
    """
    answers attempts benefits calls changes charges claims comments controls costs covers cuts deals drives drops estimates experiences
    fits flows focuses functions guarantees heads hosts hopes houses impacts influences interests issues leads leaves lists lives looks
    measures names needs notes opens orders outlines places plans plays points processes profits programs projects questions ranges ranks
    rates reads records releases replies reports results returns rises rules runs searches sets shapes ships shows signs sounds sources
    stands starts stops studies supplies supports targets tests trades trains treats turns uses values visits votes warns watches wishes
    """.split()
)
PAST = frozenset(
    """
    became began bought broke brought built came caught chose died dealt drew drove fell felt fought flew forgot found gave got grew heard
    held hid kept knew laid lay led left lent lost made meant met paid proved ran rang rose said sang sat saw sent shook shot showed
    slept sold sought spent spoke stole stood struck sued swam swore taught thought threw told took understood went woke won wore wrote
    """.split()
)
# Past and nothing else.
ONLY_PAST = frozenset(
    "became began broke came chose drew drove fell flew forgot gave grew knew rang rose sang saw shook spoke stole swore took threw went woke wore wrote".split()
)
# Same form for past and for present, or a noun as well: only where what follows cannot follow a noun.
PAST_OR_NOUN = frozenset("cut put set hit cost felt read shut split spread hurt let".split())

# Of someone who does it: after "was ..., and" they stand by themselves.
INTRANSITIVE = frozenset(
    "died lived happened occurred appeared remained worked arrived existed resigned retired returned graduated moved failed ended started continued".split()
)
# "He says it is A and was B": both are what he says.
SAYING = frozenset(
    """
    says said suggests suggested states stated thinks thought believes believed claims claimed reports reported shows showed knows knew
    means meant explains explained notes noted hopes hoped argues argued finds found indicates indicated reveals revealed
    """.split()
)

DETERMINERS = frozenset(
    """
    a an the this that these those its his her their our your my all any each every both some no several many most half one two three four
    five six seven eight nine ten it them him us you me
    """.split()
)
PREPOSITIONS = frozenset(
    """
    of in on at by for with from to into onto about over under after before during between through against within without as until since
    near around towards toward across beyond per than up out off away down back together there here not only also still currently now later
    again directly
    """.split()
)
PRONOUNS = frozenset("it he she they we you i this that these those there".split())
ARTICLES = frozenset(
    "the a an its his her their our your each every no all both some most many these those this".split()
)

# What makes the rest of the sentence hang on something: a clause behind it cannot be taken out.
SUBORDINATORS = frozenset(
    """
    if unless when whenever while whereas because although though since until till once that which who whom whose where why how whether what
    than so before after provided providing suppose assuming lest even only either neither nor between both not without
    """.split()
)
OPENS_WITH = frozenset(
    "in on at during after before since from by until under with within throughout for as between".split()
)

# What instructions begin with, beside the plain forms of VERBS.
INSTRUCTIONS = frozenset(
    """
    go print locate wait press tap click select enter turn push pull open close log sign check insert install download plug unplug disconnect restart reboot
    mix stir pour bake cook heat cut peel wash clean rinse dry place set switch visit call contact use try scroll type drag save copy paste
    run set return submit fill sign attach send bring pay register cancel confirm apply note avoid consult store shake swallow drink repeat
    """.split()
)
