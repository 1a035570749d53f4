"""Words that give a language away in a few words of text: function words, short answers, numbers, units of time.

A word that several languages share counts for each of them in part. Nothing here is a name, and what English writers write
every day in another language's letters ("per", "via", "de facto") is left out or listed for English too.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above access according after again against ago all allowed almost along already also although always am amount an and
    another answer any are area around as ask at available away back based be because been before began being below best better between
    big both but by call called can cannot case change city close code come company contact contains cost could country current data
    day days default did die different do does done down due during each early eight either eleven end enough error even ever every
    everything example except expires failed false far few file find first five for found four free from full general get given go good
    great group had half has have he help her here high him his home hour hours how however if important in include included
    includes including increase information instead into is it items its just keep key kind know known large last late later least
    left less level like list live long low made main make man many may me means might million minimum minute minutes more most much
    must my name near never new next nine no nobody none nope nor not nothing now number of off old on once one only open or order other our
    out over own page part people per place please point policy possible power price problem provide public put question rate read
    really request required result return right room run said same say second see sell send sent service set seven several she should
    show side since six small so some something soon source start state step still such support sure system take ten than that the
    their them then there these they thing this those thousand three through time times to today together too total true try turn
    twenty two type under until up upon us use used user using usually value very via via via wait want warranty was water way we
    week weeks well went were what when where whether which while who whole whose why will with within without word work world would
    write year years yes yet you your zero zone date dates open month months twelve twenty thirty red blue green black white
    """.split()
)

# Words of two languages that say nothing for either.
NEUTRAL = frozenset(
    """
    men pour pays don die sale main comment plus fin fond sans once as dare fare come due sole pane per era or note door over even per
    toe met kind god band rat war art arm bald gut rot tag wand wild wind den man en vi ni far under for sin fan be son ans car bout is in was
    ve ll re a i let non cent care otto todo ed eu pro am an also to do me no so nu mi te on at data time no van minute minutes fast hat hut her mit all dan want even euro euros
    total real normal ideal original final central capital local global general hotel taxi video radio internet server online email app set
    """.split()
)

_WORDS = {
    "de": """
        ja nein nicht kein keine keinen keiner keinem doch der das den dem des ein eine einen einem einer eines und oder aber sondern ist sind war
        waren wird werden wurde wurden sein seine seinen haben hat hatte kann können kannst muss müssen darf dürfen soll sollte ich du er wir
        ihr sie es mich mir dich dir uns euch ihnen ihre ihren ihrem ihrer mein meine dein deine unser unsere von vom zu zum zur mit bei beim
        nach aus auf für über unter vor hinter neben zwischen durch ohne gegen um bis seit während wegen ab an am im ins als wie wenn weil dass
        daß ob dann denn auch noch nur schon sehr mehr wieder immer nie niemals hier dort heute gestern morgen jetzt bald gibt geht gilt gelten
        beträgt dauert kostet liegt steht leider bitte danke vielen nichts etwas alle alles jeder jede jedes dieser diese dieses diesem welche welcher
        wer wo wann warum wieviel etwa ungefähr rund höchstens mindestens pro je zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
        zwanzig dreißig hundert tausend erste ersten zweite zweiten dritte jahr jahre jahren monat monate monaten woche wochen tag tage tagen
        stunde stunden minute minuten sekunden uhr euro prozent täglich jährlich monatlich werktage werktagen montag dienstag mittwoch donnerstag
        freitag samstag sonntag januar februar märz mai juni juli oktober dezember garantie kauf weiß weiss keinerlei natürlich gerne richtig falsch
        hoch groß klein neu neue neuen rot blau grün schwarz mal wurden straße stadt kostenlos innerhalb außerhalb sofort
    """,
    "fr": """
        oui non ne pas plus jamais rien aucun aucune le la les un une de des du au aux et ou mais donc car est sont était étaient être sera seront
        été ont avait avoir il elle ils elles nous vous je tu mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces
        qui que quoi dont où quand comment pourquoi combien quel quelle quels quelles dans sur sous avec sans pour par entre vers chez depuis
        pendant avant après jusque jusqu à en y se si très trop peu beaucoup bien aussi encore toujours déjà ici là alors ainsi comme tout toute
        tous toutes chaque même autre autres peut peuvent doit doivent faut faire fait dure coûte environ deux trois quatre cinq sept
        huit neuf dix onze douze quinze vingt trente cent mille premier première deuxième an ans année années mois semaine semaines jour jours
        heure heures minutes lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre
        octobre novembre décembre garantie achat merci désolé bonjour cependant gratuit rouge bleu vert noir blanc partir lorsque puis
        aujourd hui hier demain jusqu oui bien sûr vrai faux rien ville moins
    """,
    "es": """
        sí no nunca nada ningún ninguna el la los las un una unos unas lo al del de y e o u pero sino es son era eran ser está están estar fue
        fueron será serán ha han hay había tiene tienen puede pueden debe deben hace hacer yo tú él ella usted ustedes nosotros ellos ellas mi
        tu su sus nuestro nuestra nuestros que qué quién cuál cuándo cuándo dónde donde cómo como cuánto cuánta cuántos por para con sin sobre
        entre desde hasta durante según contra hacia en a ante tras muy más menos mucho mucha muchos poco también tampoco siempre ya aún todavía
        aquí allí ahora después antes luego entonces porque cuando si este esta estos estas ese esa eso esto aquel todo toda todos todas cada
        otro otra otros mismo dura cuesta vale aproximadamente dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta
        cien mil primero primera segundo segunda año años mes meses semana semanas día días hora horas minutos lunes martes miércoles jueves
        viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre garantía compra gracias
        lamento siento claro gratis rojo azul verde negro blanco partir fecha cierto falso ciudad
    """,
    "pt": """
        sim não nunca nada nenhum nenhuma o os as um uma uns umas do da dos das no na nos nas ao aos à às pelo pela pelos pelas de e ou mas é são
        era eram ser está estão estar foi foram será serão há tem têm tinha pode podem deve devem faz fazer eu ele ela você vocês nós eles elas
        meu minha seu sua seus suas nosso nossa que quem qual quando onde como quanto quantos por para com sem sobre entre desde até durante
        segundo contra em num numa muito muita muitos mais menos pouco também sempre já ainda aqui ali agora depois antes então porque se este
        esta estes estas esse essa isso isto aquele todo toda todos todas cada outro outra mesmo dura custa cerca dois duas três quatro cinco
        seis sete oito nove dez onze doze quinze vinte trinta cem mil primeiro primeira ano anos mês meses semana semanas dia dias hora horas
        minutos segunda terça quarta quinta sexta sábado domingo janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro
        dezembro garantia compra obrigado obrigada desculpe gratuito vermelho azul verde preto branco partir data úteis úteis cidade
    """,
    "it": """
        sì no non mai niente nulla nessuno nessuna il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli alle dal
        dallo dalla dai dagli dalle nel nello nella nei negli nelle sul sullo sulla sui sugli sulle di da in con su per tra fra e ed o ma però
        è sono era erano essere sarà saranno stato stata stati ha hanno aveva avere può possono deve devono fa fare io tu lui lei noi voi loro
        mio mia suo sua nostro nostra vostro che chi quale quali quando dove come quanto quanti perché se questo questa questi queste quello
        quella molto molta più meno poco anche sempre già ancora qui ora dopo prima poi allora durante secondo contro senza fino verso ogni
        tutto tutta tutti tutte altro altra stesso dura costa circa gratis due tre quattro cinque sei sette otto nove dieci undici dodici quindici
        venti trenta cento mille primo anno anni mese mesi settimana settimane giorno giorni ora ore minuti lunedì martedì mercoledì giovedì
        venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre garanzia acquisto
        grazie purtroppo certo gratuito rosso blu verde nero bianco partire data vero falso città dalla entro
    """,
    "nl": """
        ja nee niet geen nooit niets de het een en of maar want dus is zijn was waren wordt worden werd werden heeft hebben had kan kunnen moet
        moeten mag mogen zal zullen zou ik jij je u hij zij ze wij we jullie mijn jouw uw haar hun ons onze dit dat deze die wie wat
        waar wanneer waarom hoe welke hoeveel van voor met bij naar uit op aan in over onder tussen door zonder tegen om tot sinds tijdens
        vanaf te als dan ook nog alleen al zeer heel meer minder veel weinig weer altijd hier daar nu straks vandaag gisteren morgen er
        geldt duurt kost bedraagt ligt staat gaat komt helaas alstublieft bedankt iets alles elke ieder iedere andere zelfde ongeveer maximaal
        minstens twee drie vier vijf zes zeven acht negen tien elf twaalf vijftien twintig dertig honderd duizend eerste tweede derde jaar
        jaren maand maanden week weken dag dagen uur minuten maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart
        mei juni juli oktober garantie aankoop natuurlijk juist onjuist gratis rood blauw groen zwart wit binnen werkdagen stad
    """,
    "sv": """
        ja nej inte ingen inget inga aldrig och eller men är var blir blev har hade kan ska skall måste får jag du han hon vi ni de dem den det
        en ett att som på i av till från med för om vid under över efter före mellan utan mot hos sedan när där här vad vem vilken vilket hur
        varför så också mycket mer mindre alltid redan nu idag igår imorgon denna detta dessa alla allt varje annan samma gäller kostar tar
        ungefär högst minst två tre fyra fem sex sju åtta nio tio elva tolv tjugo trettio hundra tusen första andra tredje år månad månader
        vecka veckor dag dagar timme timmar minuter måndag tisdag onsdag torsdag fredag lördag söndag januari februari mars maj juni juli
        augusti oktober garanti garantin köp köpet tack tyvärr gratis röd blå grön svart vit inom arbetsdagar procent kronor stad finns
    """,
    "da": """
        ja nej ikke ingen intet aldrig og eller men er var bliver blev har havde kan skal må får jeg du han hun vi i de dem den det en et at
        som på af til fra med for om ved under over efter før mellem uden mod hos siden når hvor her hvad hvem hvilken hvordan hvorfor så også
        meget mere mindre altid allerede nu dag går denne dette disse alle alt hver anden samme gælder koster tager cirka højst mindst to tre
        fire fem seks syv otte ni ti elleve tolv tyve tredive hundrede tusind første år måned måneder uge uger dage time timer minutter mandag
        tirsdag onsdag torsdag fredag lørdag søndag januar februar marts maj juni juli oktober garanti garantien køb købet tak desværre gratis
        rød blå grøn sort hvid inden hverdage procent kroner by findes
    """,
    "no": """
        ja nei ikke ingen intet aldri og eller men er var blir ble har hadde kan skal må får jeg du han hun vi dere de dem den det en ei et å at
        som på av til fra med for om ved under over etter før mellom uten mot hos siden når hvor her hva hvem hvilken hvordan hvorfor så også
        mye mer mindre alltid allerede nå denne dette disse alle alt hver annen samme gjelder koster tar omtrent maksimalt minst to tre fire
        fem seks sju åtte ni ti elleve tolv tjue tretti hundre tusen første år måned måneder uke uker dag dager time timer minutter mandag
        tirsdag onsdag torsdag fredag lørdag søndag januar februar mars mai juni juli oktober garanti garantien kjøp kjøpet takk dessverre
        gratis rød blå grønn svart hvit innen virkedager prosent kroner finnes
    """,
    "fi": """
        kyllä ei joo en eivät ole on oli ovat olivat olla se ne hän he minä sinä me te tämä tuo nämä nuo joka jotka mikä mitä missä milloin
        miksi miten kuinka ja tai mutta sekä että koska jos kun niin myös vain vielä jo aina koskaan nyt sitten täällä siellä hyvin enemmän
        vähemmän paljon noin yli alle kanssa ilman ennen jälkeen aikana alkaen asti saa voi voivat pitää täytyy maksaa kestää kaksi kolme neljä
        viisi kuusi seitsemän kahdeksan yhdeksän kymmenen sata tuhat ensimmäinen vuosi vuotta vuoden kuukausi kuukautta viikko viikkoa päivä
        päivää tunti tuntia minuuttia maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai takuu ostosta kiitos valitettavasti
        ilmainen punainen sininen vihreä musta valkoinen prosenttia euroa
    """,
    "pl": """
        tak nie nigdy nic żaden żadna jest są był była było były będzie będą być ma mają miał może mogą można musi trzeba ja ty on ona ono my
        wy oni mój twój jego jej ich nasz wasz ten ta to te ci tego tej tym tych który która które kto co gdzie kiedy dlaczego jak ile i oraz
        lub albo ale więc bo ponieważ że żeby jeśli gdy w we z ze na do od dla po przed przez przy pod nad między bez o u za się już jeszcze
        tylko także też bardzo więcej mniej zawsze teraz tutaj dzisiaj jutro wszystko wszystkie każdy inny około dwa dwie trzy cztery pięć
        sześć siedem osiem dziewięć dziesięć dwanaście dwadzieścia sto tysiąc pierwszy rok roku lata lat miesiąc miesiące miesięcy tydzień
        tygodnie tygodni dzień dni godzina godziny godzin minut poniedziałek wtorek środa czwartek piątek sobota niedziela gwarancja zakupu
        dziękuję niestety przykro oczywiście trwa kosztuje wynosi ciągu bezpłatnie czerwony niebieski zielony czarny biały roboczych złotych
    """,
    "cs": """
        ano ne není nikdy nic žádný žádná je jsou byl byla bylo byli bude budou být má mají může mohou musí já ty on ona my vy oni můj tvůj
        jeho její jejich náš váš ten ta to tento tato toto který která které kdo co kde kdy proč jak kolik a i nebo ale protože že aby pokud
        když v ve z ze na do od pro po před přes při pod nad mezi bez o u za se si už ještě jen také velmi více méně vždy teď tady dnes zítra
        všechno všechny každý jiný asi dva dvě tři čtyři pět šest sedm osm devět deset dvanáct dvacet sto tisíc první rok roku roky let měsíc
        měsíce měsíců týden týdny týdnů den dny dnů dní hodina hodiny hodin minut pondělí úterý středa čtvrtek pátek sobota neděle záruka
        koupě nákupu děkuji bohužel samozřejmě trvá stojí platí zdarma červená modrá zelená černá bílá pracovních korun
    """,
    "ro": """
        da nu niciodată nimic este sunt era erau fi fost va vor are au avea poate pot trebuie eu tu el ea noi voi ei ele meu său lui lor un o
        unei unui niște și sau dar deci că să dacă când unde cum cât câte câți care cine ce de la în din pe cu fără pentru prin între până
        după înainte peste sub despre mai foarte mult puțin tot toate toți fiecare alt acest această aceste acela doar încă deja acum aici
        astăzi mâine aproximativ doi două trei patru cinci șase șapte opt nouă zece douăzeci sută mie primul an ani lună luni săptămână
        săptămâni zi zile oră ore minute marți miercuri joi vineri sâmbătă duminică garanția garanție achiziție mulțumesc
        cumpărare durează costă lucrătoare roșu albastru verde negru alb din către al ale fost
    """,
    "hu": """
        igen nem soha semmi van vannak volt voltak lesz lesznek legyen nincs lehet kell tud tudja én te ő mi ti ők az a egy ez ezek azok aki
        ami amely amelyek ki mi hol mikor miért hogyan mennyi hány és vagy de hanem mert hogy ha is csak még már nagyon több kevesebb mindig most
        itt ott ma holnap minden mindegyik más körülbelül kettő két három négy öt hat hét nyolc kilenc tíz tizenkét húsz száz ezer első év
        éve évig éven hónap hónapig hét hétig nap napig napon óra órán perc hétfő kedd szerda csütörtök péntek szombat vasárnap garancia
        vásárlástól köszönöm sajnos természetesen ingyenes piros kék zöld fekete fehér munkanapon belül forint után előtt alatt
    """,
    "tr": """
        evet hayır değil yok var hiç ve veya ya da ama fakat çünkü ki ise mi mı mu mü bu şu o bir iki üç dört beş altı yedi sekiz dokuz on
        yirmi yüz bin ilk ben sen biz siz onlar benim senin onun bizim ne kim nerede nasıl niçin neden kaç hangi için ile gibi kadar sonra
        önce göre daha çok az en her tüm bütün diğer aynı şimdi burada bugün yarın olarak olan oldu olduğu edilir yapılır vardır olur
        yıl yıldır ay hafta gün saat dakika pazartesi salı çarşamba perşembe cuma cumartesi pazar garanti süresi satın tarihinden itibaren
        teşekkürler maalesef tabii ücretsiz kırmızı mavi yeşil siyah beyaz içinde iş yaklaşık
    """,
    "id": """
        ya tidak bukan belum sudah tidak pernah ada adalah yang dan atau tetapi karena jika untuk dari dengan pada di ke oleh dalam ini itu
        saya anda kamu dia kami kita mereka apa siapa mana kapan mengapa bagaimana berapa akan dapat bisa harus boleh telah sedang juga hanya
        sangat lebih kurang semua setiap lain sama sekarang nanti hari besok sekitar satu dua tiga empat lima enam tujuh delapan sembilan
        sepuluh puluh ratus ribu pertama tahun bulan minggu jam menit senin selasa rabu kamis jumat sabtu garansi pembelian terima kasih maaf
        banyak menjadi sebagai tersebut para antara seperti memiliki orang seorang membuat sering kota serta namun sehingga ketika
        hingga beberapa gratis merah biru hijau hitam putih selama sejak kerja berlaku
    """,
    "vi": """
        có không chưa là và hoặc hay nhưng vì nếu thì của cho từ với trong trên dưới tại đến bởi này đó kia tôi bạn anh chị chúng họ gì ai đâu
        khi nào sao thế bao nhiêu sẽ đã đang được phải cũng chỉ rất hơn ít nhiều tất cả mỗi khác bây giờ hôm nay một hai ba bốn năm sáu bảy
        tám chín mười trăm nghìn đầu tiên tháng tuần ngày giờ phút bảo hành mua cảm ơn xin lỗi vâng miễn phí đỏ xanh đen trắng kể những các
        người
    """,
}
# By word: the languages that have it, and those of them that it is enough evidence for.
LANGUAGES: dict[str, frozenset[str]] = {}
for _code, _text in _WORDS.items():
    for _word in _text.split():
        LANGUAGES[_word] = LANGUAGES.get(_word, frozenset()) | {_code}
TELLING: dict[str, frozenset[str]] = {
    word: codes for word, codes in LANGUAGES.items() if len(word) > 1 and word not in ENGLISH | NEUTRAL
}

# Lower-case words of English texts that have a letter of another language in them.
BORROWED = frozenset(
    """
    café cafés résumé résumés naïve naïveté façade façades fiancé fiancée cliché clichés décor déjà crème brûlée purée sauté sautéed entrée
    entrées protégé protégés soufflé jalapeño jalapeños piñata über doppelgänger éclair éclairs touché exposé née élite régime rôle coöperate
    señor señora señorita matinée ménage façon château châteaux ångström å voilà papier-mâché mâché bête apéritif crêpe crêpes pâté rosé açaí
    maté fête smörgåsbord communiqué detente détente canapé canapés négligée passé blasé
    """.split()
)

# What stands before names in names: "Le Monde", "Vincent van Gogh", "Côte d'Ivoire".
ARTICLES = frozenset(
    """
    le la les el los las il lo gli i são der die das den dem de het een o os as un une una l d du des del della delle dello degli di da do dos das
    van von vom zu zum ten ter y e al san santa saint mon notre nuestra
    """.split()
)

# Answers of one word.
SAID_ALONE = frozenset(
    """
    nein ja oui sí sì sim não nee nej nei nie tak igen nem evet hayır tidak kyllä joo không non yes maybe never always unknown none true false
    natürlich vielleicht immer niemals jamais toujours peut siempre nunca quizás talvez mai sempre forse misschien nooit altijd aldrig alltid
    nigdy zawsze nikdy vždy soha mindig niciodată ei danke merci gracias grazie obrigado bedankt tack tak dziękuję kostenlos gratuit
    """.split()
)

# The function words of English that are no word of another language here, or seldom.
CORE = frozenset(
    """
    the and of to is that for it with was on are be this by not you from or at which have an they has but were can will its
    your their what we our all more one if also may should who when how where why does did do any there been would could
    """.split()
)
