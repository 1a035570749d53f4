"""What is said around an answer: greetings, thanks, offers of help, remarks about the answer itself. None of it is a claim."""

from __future__ import annotations

import re

from sidecar.evaluate.text.clauses import is_sentence
from sidecar.evaluate.text.han_script import simplified
from sidecar.evaluate.text.marked import Marked

_SOURCE = (
    r"(?:(?:the|this|these|my|our|your|any of the) )?(?:(?:provided|given|available|retrieved|above|supplied|following|official|company(?:'s)?|product) ){0,3}"
    r"(?:context|documents?|documentation|passages?|sources?|texts?|information|articles?|excerpts?|snippets?|materials?|content|records?|"
    r"knowledge base|search results?|results|manual|handbook|guide|policy|policies|pages?|faq)"
)
_GREETING = re.compile(
    r"""
    (?:hi|hello|hey|dear|greetings|good\ (?:morning|afternoon|evening|day))\b(?:[\s,]{1,3}[\w'’][\w'’.]{0,29}+){0,4}\W{0,3}
    |(?:thanks|thank\ you|many\ thanks)\b(?!\ to\ (?!you|your|everyone|all\b))[^.]{0,80}\W?
    |(?:you[’']re|you\ are)\ (?:very\ |most\ )?welcome\b[^.]{0,60}\W?
    |(?:(?:that|this)(?:[’']s|\ is)\ )?(?:a\ )?(?:really\ |very\ )?(?:great|good|excellent|interesting|fair|important)\ (?:question|point|one|choice)\b[^.]{0,40}\W?
    |(?:great|sure|certainly|of\ course|absolutely|definitely|gladly|okay|ok|alright|all\ right|got\ it|perfect|wonderful|understood|sounds\ good|no\ (?:problem|worries)|
        sure\ thing|my\ pleasure|good\ news|great\ news|great\ to\ hear[^.]{0,30})(?:,?\ (?:thing|i\ can\ help|let\ me|happy\ to|i[’']d\ be)\b[^.]{0,60})?\W{0,3}
    |(?:i(?:[’']m|\ am|[’']d\ be|\ would\ be|[’']ll\ be)\ |we(?:[’']re|\ are|[’']d\ be)\ )?(?:more\ than\ |very\ |always\ |so\ )?(?:happy|glad|pleased|delighted|
        here)\ to\ (?:help|assist|answer|explain|clarify|hear|be|check|look)\b[^.]{0,80}\W?
    |(?:i|we)\ (?:can|will|[’']ll)\ (?:certainly\ |definitely\ |gladly\ |be\ happy\ to\ )?(?:help|assist)\b[^.]{0,60}\W?
    |(?:i|we)\ (?:completely\ |totally\ |fully\ )?(?:understand|appreciate)\b[^.]{0,90}\W?
    |(?:i(?:[’']m|\ am)\ |we(?:[’']re|\ are)\ )?(?:so\ |very\ |really\ )?sorry\ (?:to\ hear|(?:for|about)\ (?:the|any|your))\b[^.]{0,80}\W?
    |(?:i[’']m|i\ am|we[’']re|we\ are)\ (?:so\ |very\ |really\ |truly\ )?(?:sorry|afraid)\W{0,3}
    |(?:i|we)\ apologi[sz]e\ for\b[^.]{0,80}\W?
    |(?:let\ me|let[’']s|allow\ me\ to|i[’']ll|i\ will)\ (?:explain|check|break|take|have\ a\ look|look|walk|go\ (?:through|over)|help|clarify|see|summari[sz]e|dive)\b[^.]{0,80}\W?
    |(?:welcome)\ to\b[^.]{0,60}\W?
    |(?:i\ )?hope\ (?:you[’']?(?:re|\ are)|all\ is|everything)\b[^.]{0,40}\W?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(
    r"""
    (?:i\ )?(?:(?:do|really)\ )?(?:hope|trust)\ (?:this|that|it|these|the\ above)\b[^.]{0,60}(?:help|answer|clarif|clear|useful|sense|assist|work)\w*[^.]{0,60}\W?
    |(?:please\ |just\ |and\ )?(?:let\ (?:me|us)\ know|feel\ free(?!\ to\ (?!ask|reach|contact|let|call|get|message|write|e-?mail|check|share|visit|come|drop|tell|
        reply|send|follow|explore|browse|submit|open|start|give|look|read|refer|consult|chat|speak|talk|respond|upload|attach|provide|specify|clarify|rephrase|paste))
        |don[’']t\ hesitate|do\ not\ hesitate|reach\ out|get\ in\ touch|
        give\ us\ a\ (?:call|shout)|reply\ to\ this\ (?:message|e-?mail)|
        ask\ away)\b[^.]{0,200}\W?
    |(?:if|should)\ (?:you|there|anything|that|this|it)\b[^.]{0,120}(?:let\ (?:me|us)\ know|feel\ free|just\ ask|ask\ away|i[’']?(?:m|\ am|\ can|[’']?d\ be|
        \ would\ be)|we[’']?(?:re|\ are)\ (?:here|happy|glad)|
        happy\ to|glad\ to|reach\ out|get\ in\ touch|(?:don[’']t|do\ not)\ hesitate|here\ to\ help|reply\ to\ this)\b[^.]{0,120}\W?
    |(?:is\ there\ anything|would\ you\ like|do\ you\ want|can\ i\ help|anything\ else|shall\ i|want\ me\ to|need\ anything)\b[^.]{0,120}\W?
    |(?:have|enjoy)\ (?:a|your)\ (?:great|good|nice|lovely|wonderful|pleasant|safe|rest)\b[^.]{0,40}\W?
    |(?:good\ luck|take\ care(?!\ (?:not|that|when|to|of|with))|stay\ safe|happy\ (?:shopping|coding|cooking|travels|reading|learning|to\ help)|
        enjoy(?=\W*$|\ (?:your|the|it|this|every|shopping|reading))|cheers|bon\ app[eé]tit|safe\ travels|
        see\ you(?:\ soon)?|looking\ forward\ to)\b[^.]{0,30}\W?
    |(?:i|we)(?:[’']m|[’']re|\ am|\ are)\ here\ (?:for\ you|if|whenever)\b[^.]{0,60}\W?
    |(?:best|kind|warm|many)\ regards\b[^.]{0,60}\W?|regards,[^.]{0,60}|(?:yours\ )?(?:sincerely|faithfully|truly)\b[^.]{0,40}\W?|best(?:\ wishes)?,?
    |for\ (?:more|further|additional)\ (?:information|details?|help|assistance|questions?|support)\b,?[^.\d]{0,120}\W?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REMARK = re.compile(
    rf"""
    (?:(?:ok(?:ay)?|sure|certainly|of\ course|absolutely|great)[,!.\ ]{{1,3}})?(?:here(?:[’']s|\ is|\ are)|below\ (?:is|are)|the\ following\ (?:is|are|table|list|
        steps?)|these\ are|i(?:[’']ve|\ have)?\ (?:found|put\ together|summari[sz]ed|listed)|this\ is\ what)\b[^.]{{0,100}}:
    |here(?:[’']s|\ is|\ are)\ (?:what|how|a|an|the|some|your)\b[^.:]{{0,60}}\ (?:found|know|mean|steps|summary|overview|breakdown|answer|information|details|list|
        works|need|asked|requested)\b[^.:]{{0,40}}[.!]?
    |(?:in\ (?:summary|short|conclusion|brief)|to\ (?:summari[sz]e|sum\ up|answer\ your\ question|recap)|(?:short|quick|long)\ answer|tl;?dr|answer|summary|
        conclusion|in\ a\ nutshell)\W{{0,2}}
    |(?:based\ on|according\ to|from|per|as\ per)\ {_SOURCE.replace(" ", chr(92) + " ")}(?:\ provided)?\W?
    |(?:sources?|references?|note|notes|citations?|disclaimer|see\ also|further\ reading|p\.?s\.?)\s*(?::.{{0,200}})?
    |(?:this|the\ above)\ (?:answer|information|summary)?\s?(?:is|was|comes)\ (?:based\ on|taken\ from|from|drawn\ from)\ {_SOURCE.replace(" ", chr(92) + " ")}\b[^.]{{0,60}}\W?
    |(?:i|we)(?:[’']ve|\ have)?\ (?:checked|searched|looked|went|gone|reviewed|read)\ (?:through\ |at\ |in\ |into\ |over\ )?{_SOURCE.replace(" ", chr(92) + " ")}\b[^.]{{0,40}}[.:!]
    |i(?:[’']ve|\ have)?\ (?:checked|searched|looked|went|gone|reviewed|read)\ (?:through\ |at\ |in\ |into\ |over\ )?(?:the|this|these|your)\ (?:reports?|e-?mails?|
        transcripts?|minutes|notes)[.:!]
    |as\ (?:requested|promised|mentioned)\W?
    |i(?:[’']m|\ am)\ (?:just\ |only\ )?(?:an?\ (?:ai|virtual|digital)|not\ an?\ (?:doctor|lawyer|attorney|physician|
        (?:financial|tax|legal)\ advis[eo]r|(?:medical|legal|tax)\ professional))\b
        (?:\ (?!(?:and|but|so|who|which|that|not)\b)[\w-]{{1,20}}){{0,4}}\W?
    |(?:this|the\ above)\ (?:(?:answer|information|response|content|summary)\ )?(?:[\w’'-]{{1,20}},?\ ){{1,8}}
        (?:(?:medical|legal|financial|tax|investment|professional)\ advice|(?:by|with|using)\ (?:an?\ )?ai|contain\ (?:errors|mistakes|inaccuracies)|
        (?:information|educational|informational)\ (?:purposes\ )?only)\W?
    |please\ (?:double[- ]check|verify)\ (?:(?:any|all|important|critical|the)\ ){{0,2}}(?:information|details|facts)\W?
    |confidence(?:\ (?:level|score))?:.{{0,20}}
    |ai(?:[- ]generated\ \w{{1,20}})?\ (?:can|may|might)\ (?:make|contain|include)\ (?:mistakes|errors|inaccuracies)\W?
    |(?:that|this)(?:[’']s|\ is)\ (?:actually\ )?an?\ (?:(?:very\ )?common\ )?(?:misconception|myth|misunderstanding)\W?
    |(?:i\ (?:can|could)\ (?:also\ |still\ |gladly\ |instead\ )?|what\ i\ can\ do(?:\ instead)?\ is\ (?:to\ )?)(?:answer\ (?:\w{{1,12}}\ ){{0,2}}questions|explain\ (?!that\b)|
        draft|summari[sz]e|compare|translate|rephrase|write|walk\ you)\b[^.\d:]{{0,120}}\W?
    |(?:that|this)(?:[’']s|\ is)\ (?:what|all\ that)\ [^.]{{0,40}}\ (?:says?|states?|say|know|found)\W?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SYMBOLS = re.compile(r"^[^\w\s“「《（(]{1,4}\s*")
_MARKS = r"[，,！!。.～~哦呢哈喔呀\s]{0,4}"
_CHINESE = re.compile(
    rf"""
    (?:您好|你好|嗨|大家好|亲爱的[^，。]{{0,12}}|亲|尊敬的[^，。]{{0,12}})(?:[，,！!。.～~\s]|呀|啊){{0,4}}
    |(?:好的|当然(?:可以)?|没问题|没错|可以的?|明白了?|收到|不客气|不用谢|没关系|是这样的|嗯){_MARKS}
    |(?:很|非常|十分)?(?:高兴|乐意|荣幸)(?:能)?(?:为|帮|回答|认识)[^。]{{0,30}}[。！!]?
    |(?:非常|十分)?(?:感谢|谢谢)[^。]{{0,40}}[。！!]?
    |(?:您|你)?(?:的)?(?:这|您这|你这)?(?:真)?(?:是)?(?:一)?个?(?:问题)?(?:问得|非常|很){{0,2}}好(?:的)?(?:问题)?[。！!]?
    |(?:以下|下面|如下)(?![^：:]{{0,30}}(?:不|无|可以|应|须|需|禁止))(?:是|为|就是)?[^。]{{0,40}}[:：]
    |(?:根据|依据|基于|按照)[^，。]{{0,24}}(?:如下|以下)[^。]{{0,24}}[:：]
    |希望(?:这|以上|上述|我的|对|能|本)[^。]{{0,40}}(?:帮|用|解|清)[^。]{{0,20}}[。！!]?
    |(?:如果|如|若|要是)(?:您|你)?(?:还|仍)?(?:有|需要)?[^，。]{{0,8}}(?:其他|任何|疑问|问题|什么|不明|别的|进一步|了解更多|帮助)[^。]{{0,16}}[，,]?(?:请|欢迎|可以|都)?[^，。]{{0,8}}(?:联系|告诉|问|咨询|提问|找我|追问)[^，。]{{0,16}}[。！!～~]?
    |有(?:任何|其他|什么)?(?:问题|疑问|需要)[^。]{{0,8}}(?:都)?(?:可以|请|随时|欢迎)[^。]{{0,8}}(?:问|联系|找|告诉|咨询)[^。]{{0,8}}[。！!～~]?
    |(?:请问)?(?:您|你)?(?:还|另外)?(?:有|需要)(?:什么|其他|别的|我)[^。]{{0,12}}(?:帮|需要|咨询|了解|问)[^。]{{0,8}}[吗么嘛]?[？?]?
    |(?:都|请|也)?(?:可以|可)?(?:继续|随时|再)?(?:追问|问我|提问|告诉我|联系我们?|咨询(?:我们|客服)|找我)[^，。；\d]{{0,10}}[。！!～~]?
    |(?:请|欢迎|可)?随时[^，。]{{0,30}}(?:联系|提问|咨询|告诉|问)[^，。]{{0,20}}[。！!]?
    |(?:欢迎(?:继续|再次|随时)|期待您?的?)[^，。；\d]{{0,24}}[。！!]?
    |(?:祝(?:您|你|好)|再见|此致|敬礼)[^。]{{0,30}}[。！!]?
    |(?:参考(?:资料|文献)?|来源|资料来源|出处|引用)[:：][^。]{{0,120}}[。]?
    |(?:总之|综上(?:所述)?|总结(?:一下)?|简而言之|总的来说|简单来说|答案|答|回答|简短回答|结论|备注|注意|注|温馨提示|详细说明)[，,:：]?
    |(?:很|非常|十分|实在|真的)?(?:抱歉|对不起|不好意思)(?:[，,]?(?:让您|听到|给您|为您|耽误)[^。，；]{{0,30}})?(?:[，,](?:敬请|请您?)(?:谅解|见谅|理解))?[。！!～~]?
    |给您(?:带来|造成)[^，。；]{{0,20}}(?:[，,](?:敬请|请您?|我们)[^，。]{{0,12}})?[。！!]?
    |(?:请(?:您)?(?:稍等|稍候|放心))[^，。；\d]{{0,4}}(?:[，,](?:我|这边|小)[^，。；\d]{{0,12}})?[。！!～~]?
    |(?:我|我们|这边|那我|小[一-鿿])(?:来|就|先|马上)?(?:帮|为|给)(?:您|你)(?:查|看|分析|解答|介绍|说明|梳理|总结|整理|处理)[^，。；\d]{{0,12}}[。！!～~：:]?
    |(?:那|首先)?(?:让|请让)我们?(?:一起)?(?:来)?(?:看看|看一下|分析|了解|梳理)[^，。；\d]{{0,14}}[。！!：:]?
    |我(?:非常|很|完全)?理解您的?(?:心情|感受|担心|顾虑|困扰)[。！!]?
    |我是[^，。；]{{0,12}}(?:助手|客服|机器人|助理)[^，。；]{{0,8}}(?:，很高兴[^，。；]{{0,12}})?[。！!～~]?
    |以上(?:就)?是[^，。；\d]{{0,16}}(?:说明|介绍|内容|解答)(?:，[^。]{{0,24}})?[。！!]?
    |(?:为了更好地帮助您，)?我(?:整理|总结|列出)了(?:以下|如下)[^，。；\d]{{0,12}}[。：:]?
    |(?:以上|上述|本)[^，。；\d]{{0,10}}(?:仅供参考|我的回答|全部回答|全部内容)[^。]{{0,40}}[。！!]?
    |(?:具体|一切|最终)?(?:请)?以[^，。；\d]{{1,16}}为准[。！!]?
    |免责声明[:：][^。]{{0,120}}[。]?
    |请(?:给予|给)?[^，。；\d]{{0,6}}(?:五星|好评)[^。]{{0,20}}[。！!～~]?
    """,
    re.VERBOSE,
)
_LEAD = re.compile(
    rf"""
    (?:(?:ok(?:ay)?|sure(?:\ thing)?|a(?=:)|here(?:[’']s|\ is|\ are)\ [^.:]{{0,80}}(?=:)|note(?=:)|of\ course|certainly|absolutely|great\ question|good\ question|
        good\ news|great\ news|hi(?:\ there)?|hello|thanks\ for\ asking|
        i(?:[’']ve|\ have)\ (?:looked\ into|checked)\ (?:it|this|that)|(?:i\ think\ )?there\ (?:may|might|seems\ to)\ be\ (?:a|some)\ (?:misunderstanding|confusion|mix-?up)|
        in\ short|in\ summary|to\ answer\ your\ question|tl;?dr|(?:short|final)\ answer|answer)\ ?[,!:—–-]\ (?=\S))?
    (?:(?:(?:based\ on|according\ to|as\ per|per|from|as\ (?:stated|described|mentioned|noted)\ in)\ {_SOURCE.replace(" ", chr(92) + " ")}(?:\ (?:provided|above|
        given|i\ have|you\ provided|i\ found))?,\s*
      |(?:as\ )?{_SOURCE.replace(" ", chr(92) + " ")}\ (?:clearly\ |explicitly\ |also\ |only\ |just\ )?(?:states?|says?|mentions?|indicates?|explains?|notes?|
          specif(?:y|ies)|confirms?|shows?)\ that[ ]
      |(?:please\ )?note\ that\ |it[’']s\ worth\ noting\ that\ |i\ (?:found|see|can\ see|can\ confirm)\ that\ ))?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE_LEAD = re.compile(
    # What one of them may begin with, so that nearly all places are passed by at once.
    r"(?=[A好可当没您你亲收是总综简请温注备结详答经已这我帮为不根依按基从文资上材手提指])"
    r"(?:(?:(?:A|好的|可以的|当然(?:可以)?|没问题|您好|你好|亲|收到|是这样的|总之|综上所述|简而言之|简单来说(?:就是)?|总的来说|请您?放心|请注意|(?:这边|我)?[帮为]您(?:看了一下|查了一下|查询到|查到)|温馨提示|注意|备注|注|总结|总结来说|结论|详细说明|简短回答|答|经查询|已为您查询到)[，,！!：:～~]\s{0,3}){1,3})?"
    r"(?:(?:不过[，,]?)?(?:根据|依据|按照|基于|从)(?:以上|上述|所|您的?|你的?|该|本|现有|我们的?)?(?:提供|给出|检索到)?的?(?:相关)?(?:文档|文件|资料|上下文|文章|材料|信息|内容|段落|知识库|手册|说明书?|政策|描述)(?:内容|信息|中|来看|可知|可以(?:推断|看出|得知))?[，,]\s{0,3}"
    r"|(?:根据|依据|按照)[和与、及\s]{0,4}[，,]"
    r"|(?:文档|文件|资料|上下文|文章|材料|手册)(?:中|里)?(?:明确)?(?:指出|提到|说明|表明|显示|写道)[，,:：]?(?=[^，。]{4})"
    r"|(?:提到|指出)[，,:：]?(?=[^，。]{6}))?"
)


# Before a whole sentence it says nothing that the sentence does not; "No, it isn't." and "No, just the app does." hang on it.
_YES_OR_NO = re.compile(
    r"(?:yes|yeah|yep|no|nope)\s?[,.!:;—–-]\s+(?!and\b|but\b|or\b|just\b|only\b|not\b)(?=\S)", re.IGNORECASE
)
_LEAST_WORDS_ALONE = 5
_TURN = re.compile(
    r"[,;:!—–]\s+(?:but\s+|and\s+|so\s+)?|\s(?:but|so|-|and(?!\s(?:i|we|that|our|my|someone)\b|\s(?:i|we)['’]))\s+|[，：]",
    re.IGNORECASE,
)
_THANKS_FOR = re.compile(r"(?:many )?(?:thanks|thank you)(?: (?:so|very) much| a lot)? for\b", re.IGNORECASE)
_THANKS = re.compile(r"(?:非常|十分)?(?:感谢|谢谢)")
# A courtesy states no figure, but for "24/7".
_FIGURE = re.compile(
    r"(?<![\d/])(?!24/7)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety|hundred)[ -](?:[a-z]{1,20} )?"
    r"(?:minute|hour|day|night|week|month|year|euro|dollar|pound|percent|time|person|people|piece|item|mile|met(?:er|re))s?\b",
    re.IGNORECASE,
)
_LEAST_SAID = 3
_MOST_SPOKEN = 400


def is_chatter(sentence: str, *, language: str) -> bool:
    """Whether a sentence says nothing about the matter."""
    return _is_spoken(sentence, language) and _after_turn(sentence, language) is None and not _tells_figure(sentence)


def _tells_figure(sentence: str) -> bool:
    """Whether a courtesy states a figure: "Thanks to its 5,000 mAh battery"; what introduces or is about the answer may have one."""
    bare = _SYMBOLS.sub("", sentence)
    if _THANKS_FOR.match(bare):
        return False
    courtesy = (
        any(pattern.fullmatch(bare) for pattern in (_GREETING, _CLOSING)) or _THANKS.match(simplified(bare)) is not None
    )
    return courtesy and _FIGURE.search(bare) is not None and _REMARK.fullmatch(bare) is None


def without_lead(sentence: Marked, *, language: str) -> Marked:
    """The sentence without "Sure," and "According to the documents," before it, where enough is left."""
    if _is_spoken(sentence.text, language) and (turn := _after_turn(sentence.text, language)) is not None:
        sentence = sentence if _tells_figure(sentence.text[:turn]) else sentence.cut(turn)
    chinese = language == "zh"
    match = _CHINESE_LEAD.match(simplified(sentence.text)) if chinese else _LEAD.match(sentence.text)
    rest = sentence.cut(match.end()) if match else sentence
    enough = len(rest.text) >= 3 if chinese else len(rest.text.split()) >= 2
    return _without_yes_or_no(rest) if enough else sentence


def without_tail(sentence: Marked, *, language: str) -> Marked:
    """A sentence without the courtesy behind its last dash: "It costs 5 euros – anything else I can do for you?"."""
    at = max(sentence.text.rfind(f" {dash} ") for dash in "-–—")
    return sentence.cut(0, at) if at > 0 and is_chatter(sentence.text[at + 3 :], language=language) else sentence


def _without_yes_or_no(sentence: Marked) -> Marked:
    match = _YES_OR_NO.match(sentence.text)
    if match is None:
        return sentence
    rest = sentence.cut(match.end())
    alone = len(rest.text.split()) >= _LEAST_WORDS_ALONE and is_sentence(rest.text, language="en")
    return rest if alone else sentence


def _is_spoken(sentence: str, language: str) -> bool:
    if len(sentence) > _MOST_SPOKEN:
        return False
    if language == "zh":
        return _CHINESE.fullmatch(_SYMBOLS.sub("", simplified(sentence))) is not None
    bare = _SYMBOLS.sub("", sentence)
    return any(pattern.fullmatch(bare) for pattern in (_GREETING, _CLOSING, _REMARK))


def _after_turn(sentence: str, language: str) -> int | None:
    """Where, after a comma or a colon, something is said after all: "Thanks for asking, the fee is 5 euros"."""
    for turn in _TURN.finditer(sentence):
        rest = sentence[turn.end() :]
        long = len(rest) > _LEAST_SAID if language == "zh" else len(rest.split()) > _LEAST_SAID
        says = is_sentence(rest, language=language) or (language == "zh" and any(map(str.isdecimal, rest)))
        if long and not _is_spoken(rest, language) and says:
            return turn.end()
    return None
