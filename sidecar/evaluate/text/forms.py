"""Frequent English verbs and the forms that they take, for what stands behind an "and".

Wider than the lists of verbs.py, which tell a verb wherever it stands: a form from here is taken for a verb only where the
place of it says so as well (coordination.py). Forms are made by rule.
"""

from __future__ import annotations

import re

from sidecar.evaluate.text.verbs import OFTEN_NOUNS, ONLY_PAST, PAST, SAYING, VERBS

# Whose third person is hardly ever a plural noun.
_SURE = """
    abandon abolish absorb accelerate accept accommodate accompany accomplish accrue accumulate achieve acknowledge acquire adapt add adhere
    adjust administer admit adopt advertise advise affect aggravate agree alleviate allocate allow alter amend amplify analyse analyze announce
    anticipate apologise appear apply appoint appreciate approve argue arrange arrive ascend ask assemble assess assign assist assume assure
    attach attain attend attract authorise authorize avoid awaken become befriend beg begin behave belong bind blame boil borrow breathe bring
    broaden build bury calculate capture carry cater cease celebrate chase choose clarify classify clear cling close collect collide combine come
    commence commit communicate compare compel compensate compete compile complain complete complicate comply compose comprise compute concentrate
    conclude condense confirm confiscate connect consist consolidate constitute constrain construct consume contain continue contribute convey
    convince cooperate coordinate cope correct correspond corrode create criticise cultivate decide declare decompose decorate dedicate deduct
    deem defeat defend define degrade delete deliver demonstrate deny depart depend depict deploy depress deprive derive descend describe deserve
    designate destroy detain detect deter deteriorate determine develop devise devote diagnose die differ digest dilute diminish direct disable
    disappear disclose discourage discover discuss dismantle dispense disperse dissolve dissuade distinguish distort distribute diverge divide
    dominate donate earn eat educate elect eliminate embed embrace emerge emit emphasise emphasize employ empower empty enable encode encompass
    encourage encrypt endanger endure enforce engage enhance enjoy enlarge enlist enrich ensure entail enter entertain entitle equate equip
    eradicate erase erode erupt establish evaluate evaporate evolve exaggerate examine exceed excel exclaim exclude excrete execute exemplify
    exempt exert exhale exist expand expect expel expire explain explore expose express extend extinguish facilitate fade falsify fill finalise
    finalize find flatten flee flourish fluctuate follow forbid forego foresee forget forgive formulate fortify foster freeze freshen fulfil
    fulfill gather generate get give glow go govern grasp grow hamper hang happen harden harm help hesitate hibernate hinder hold hydrate identify
    ignite ignore illustrate immunise immunize impair impede implement imply impose improve include incorporate incur indicate induce infect infer
    inform infuse inhabit inhale inherit inhibit initiate inject injure innovate inspect inspire install instruct insulate insure integrate intend
    interact interfere interpret interrupt intervene introduce invade invent invest investigate invite involve irrigate isolate join justify keep
    know lack last lay lead learn leave lend lengthen lessen liberate lighten liquidate listen locate loosen lose lower lubricate magnify maintain
    make manage manipulate manufacture marry mature meet melt merge migrate minimise minimize mitigate modify moisturise motivate multiply narrow
    navigate neglect negotiate neutralise neutralize nominate notify nourish nurture obey oblige observe obstruct obtain occupy occur omit operate
    oppose organise organize originate oust outlast outlaw outperform outweigh overcome overheat oversee overtake owe own oxidise participate pay
    penetrate perceive perform persist persuade pertain polarise pollinate pollute populate portray possess postpone pour precede predict prefer
    prepare prescribe preserve preside pressurise presume prevail prevent proceed proclaim procure produce prohibit prolong promote propose
    prosper protect prove provide provoke publicise publish purify pursue put quantify react realise realize reappear reassure rebuild receive
    recite reckon recognise recognize recommend reconcile reconstruct recover recur recycle redeem redirect reduce reestablish refer refine
    reflect refrain refresh refuse regain regulate reimburse reinforce reject relate relax relieve rely remain remember remind remove renew
    renovate reopen repay repel replace represent reproduce require resemble reside resign resist resolve resonate respect respond restore
    restrict resume retain retire retrieve reunite reveal revise revolutionise revolve ripen rotate rust satisfy save say scatter secrete secure
    see seek seem select sell send serve settle shine shorten shrink shut simmer simplify sit skim soak soften solve soothe speak specialise
    specialize specify spend stabilise stabilize sterilise stimulate streamline strengthen strive submit subscribe subside subtract succeed
    suggest summarise summarize summon supersede supervise surpass surrender surround survive suspend sustain symbolise sympathise synchronise
    synthesise take teach tell tend terminate testify thicken think thrive tighten tolerate transcend transform translate transmit transpire
    transpose traverse try uncover undergo undermine understand undertake undo unfold unify unite unload unlock uphold urge utilise utilize
    vaccinate validate vanish vaporise vary ventilate verify vibrate violate waive want warn weaken wear weigh widen withdraw wither withstand
    worsen write
"""
# Whose third person is a plural noun as well.
_NOUNS_TOO = """
    access account act address advance advocate aim alarm alert answer arch archive armour associate attack attempt award back balance ban bar
    base bear beat benefit bid bill bite blend block bloom boast bond book boost border bore bottle branch brand break breed bridge broadcast
    brush bud budget bundle burn burst buy bypass cache call calm camp cancel catch cause caution centre challenge change charge chart check
    circle claim clash clean climb coach coat collapse colour comfort command comment commission compound compromise concern conduct conflict
    contact contest contract contrast control convert cook cool copy cost count cover crack crash credit crop cross crowd cruise cue curb cure
    curve cut cycle damage dance date deal debate decline decrease defect delay delegate demand deposit design desire detail dip discharge
    discount disguise display dispute dive dock document double draft drain draw dream dress drift drill drink drive drop dry duck echo edge edit
    encounter end equal escape estimate exchange exhaust exhibit exit experience exploit export extract face fail fall favour fear feature feed
    ferment figure film filter finance finish fire fish fit fix flag flash float flood flow flower fly focus fold forecast fork form frame front
    fruit fry fuel function fund gain gauge gaze glide grade graduate grant grill grip ground group guarantee guard guide handle harvest haul head
    heap heat hide hike hinge hit hook host house hunt impact import increase influence input insert intake interest interface interview invoice
    issue jam joke judge jump kick kill knit knock label land lapse launch leak leap lease lecture let level license lie lift light limit line
    link list live load loan lock log look mail mandate map march mark market mask master match matter mean measure mention merit mill mine mirror
    mistake mix model monitor mould mount move name need nest note notice number object offer offset open order outline output pack paint panel
    park part pass patrol pause peak peel perfume permit phase phone pick picture pilot pitch plan plant play pledge plot point poll pool portion
    pose position post power practice practise praise present press preview price print process profit program progress project promise prompt
    pump purchase push query question quit quote race raid raise rally ramp range rank rate reach rebate record recruit reform refund register
    reign release remedy rent repair repeat reply report request rescue research reserve reset rest restart result retail retreat return reverse
    review reward ride ring rinse rise risk rival roast roll roof root rule rumble run rush safeguard sail salvage sample scale scan scare
    schedule scope score scrap screen scrub seal search season seat sentence separate shape share shed shelter shield shift ship shock shoot shop
    shoulder show sign signal sink skip sleep slide slope slow smoke solder sort sound source span spark speed spill spin splash split sponsor
    spot spread sprout squeeze stack stage stall stamp stand star start state stay steal steer stem step stick stir stock stop store storm stream
    stress stretch strike string stroke structure study style subject substitute suffer suit sum supplement supply support surface surprise survey
    suspect swap sweep swell swim swing switch tackle target taste tax tear test thank thaw thread throw tie time title toll top total touch tour
    trace track trade trail train transfer transit transplant transport trap travel treat trigger trip trust turn tutor twist type update upgrade
    use value visit voice vote wage walk warm wash waste watch water wave wedge welcome whistle will win wish witness wonder work wound wrap yield
"""
# Regular pasts that hardly ever stand before a noun as an adjective does: "attended school".
_PLAIN_PASTS = """
    achieved asked attended attracted became began caused crossed declared defeated described directed earned employed entered founded gained
    helped hosted inspired joined lacked launched owned performed played practised practiced reached received represented served studied succeeded
    supported survived taught visited wanted
    """
# Irregular pasts that stand before a noun as an adjective does: "lost letters", "paid work".
_LIKE_ADJECTIVES = "lost paid left felt found made kept broke hid sent"
_SENSED = """
    add admit announce assume assure believe claim conclude confirm decide declare demonstrate deny discover ensure expect explain fear feel find guarantee
    guess hear hope imply know learn mean mention note notice observe predict presume promise prove realise realize recommend remember
    require say see show state suggest suppose tell think understand warn wish
    """
_CONSONANT_Y = re.compile(r"[^aeiou]y")
_HISSES = ("s", "x", "z", "ch", "sh", "go", "do")


def third(base: str) -> str:
    """A verb as it stands behind "it"."""
    if _CONSONANT_Y.fullmatch(base[-2:]):
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(_HISSES) else f"{base}s"


def _past(base: str) -> str:
    if _CONSONANT_Y.fullmatch(base[-2:]):
        return f"{base[:-1]}ied"
    return f"{base}d" if base.endswith("e") else f"{base}ed"


_OFTEN_NOUNS_TOO = frozenset(map(third, _NOUNS_TOO.split())) | OFTEN_NOUNS
SURE_THIRD = (frozenset(map(third, _SURE.split())) | VERBS) - _OFTEN_NOUNS_TOO
THIRD = SURE_THIRD | _OFTEN_NOUNS_TOO
PLAIN = frozenset((_SURE + _NOUNS_TOO).split())
# Pasts that may stand before a noun without an article and are verbs there.
PLAIN_PAST = (frozenset(_PLAIN_PASTS.split()) | PAST | ONLY_PAST) - frozenset(_LIKE_ADJECTIVES.split())
# A clause without "that" may follow: what is joined to it may be told, too.
TELLING = SAYING | frozenset(form for base in _SENSED.split() for form in (base, third(base), _past(base)))
