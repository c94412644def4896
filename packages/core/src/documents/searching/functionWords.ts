/** The languages with a list of function words in this file, by their ISO 639-1 codes. */
export const LANGUAGES = ["da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv"] as const
export type Language = (typeof LANGUAGES)[number]

/** The most common words of each language without a meaning of their own, in lower case. */
export const FUNCTION_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  da: words(
    "af at blev da de dem den der deres det dig din efter eller en er et for fra ham han har havde hende her hun hvad hvis " +
      "hvor hvordan hvornår i ikke jeg kan man med meget men mig mod må noget nogle nu inden når og også om op over på sig som skal så til ud under var ved vi vil være"
  ),
  de: words(
    "aber als am an auch auf aus bei beim bin bis bitte da das dass dem den der des die dies diese diesem diesen dieser du durch ein eine einem einen einer " +
      "eines er es für hat haben ich ihr ihre ihrem ihren im in ist kann kein keine man mit muss nach nicht nur oder sein seine sich sie sind so über um und " +
      "uns vom von vor wann war warum was welche welchem welchen welcher welches wenn wer werden wie wir wird wo zu zum zur"
  ),
  en: words(
    "a about after all an and any are as at be been before but by can could did do does for from had has have he her his how i if in into is it its may me my no " +
      "not of on or our shall she should so than that the their them then there these they this those to under up was we were what when where which who why " +
      "will with would you your"
  ),
  es: words(
    "a al como con cuál cuándo cuánto cuánta de del desde donde dónde el ella ellos en entre era es esta este esto está están fue ha han hasta hay la las le lo los más me mi muy no nos o " +
      "para pero por porque qué que quién se ser si sin sobre son su sus también tiene un una uno y ya"
  ),
  fi: words(
    "ei eivät että he hän ja jo joka jos kaikki kanssa ketkä koska kuin kuinka kun me mikä milloin mitä missä mukaan mutta myös ne niin nyt olen oli olla on ovat paljonko saa sen se sekä sitten siitä tai te tämä vain voi voiko"
  ),
  fr: words(
    "à au aux avec ce ces cet cette comme combien comment dans de des donc du elle elles en est et être il ils je la le les leur leurs lui mais ne nos notre nous on ont ou où par " +
      "pas pendant plus pour quand que quel quelle quelles quels qui sa sans se ses si son sont sous sur tous tout un une vos votre vous y"
  ),
  it: words(
    "a ai al alla alle anche che chi ci come con da dal dalla dei del della delle di dopo dove e è ed gli ha hanno i il in io la le lo ma nei nel nella non o per perché più " +
      "qual quale quali quando quanto questo questa se si sono su sua suo sul sulla tra un una uno"
  ),
  nl: words(
    "aan als alle bij dan dat de deze die dit door een en er geen gaat haar had heb hebben heeft het hij hoe hoeveel hun ik in is je kan maar me men met mijn naar niet nog nu of om onder ook op " +
      "over te tot u uit uw van voor waar waarom wanneer was wat welke werd wie wij worden wordt zal ze zich zij zijn zou"
  ),
  no: words(
    "at av ble da de dem den der deres det din eller en er et etter for fra før ham han har hadde henne her hun hva hvem hver hvis hvor hvordan hvorfor i ikke jeg kan kunne man med meg mellom men mot må ned noe noen " +
      "nå når og også om opp over på seg skal som så til under ut var ved vi vil være"
  ),
  pt: words(
    "à ao aos as às com como da das de dela dele depois do dos e é ela ele em entre era essa esse esta este está eu foi há isso já lhe mais mas me meu minha muito na não nas no nos o onde os ou para pela pelo por porque qual " +
      "quais quando quanto quantos que quem são se sem ser seu sua também tem um uma"
  ),
  ru: words(
    "а без бы был была были быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же за и из или им их к как какая какие какой когда кто ли меня мне мы на над не нет но о об он она они от по под при с " +
      "сколько со так также то только у уже что чтобы эта эти это этот я"
  ),
  sv: words(
    "alla att av blev bli blir de dem den denna deras det detta dig din du där efter eller en er ett från för ha hade han har henne hennes hon hur i inte jag kan man med mellan men mig min mot måste mycket ni nu när och också om på sedan " +
      "sig sin ska skall som så till under upp ut utan vad var varje vem vi vid vilka vilken vilket än är"
  )
}

/**
 * The most common function words of Japanese, Chinese and Korean, in the form in which `searchableText` cuts them:
 * single characters and pairs of neighbours. In a library of several languages they would count as rare words. Single
 * hiragana are particles and endings.
 */
export const WORDS_WITHOUT_SPACES = {
  ja: words(
    "する した して しま せん ます まし です でし ない ある あり いる いま には では でも とは との から まで ので のに のは のか のを のが など こと もの ため よう どの どこ なに " +
      "いつ どう なぜ だれ くだ ださ さい たい れる られ せる さん さる という いう うに うな うす をす とき この その あの これ それ あれ に何 何で すか ますか か教 教え えて てく"
  ),
  zh: words(
    "的 了 是 在 和 与 吗 呢 吧 我 你 他 她 它 们 这 那 有 不 也 就 都 么 什 怎 为 请 什么 怎么 为什 如何 哪些 哪个 是什 么样 我们 你们 他们 可以 没有 這 嗎 們 為 什麼 怎麼 為什 哪個 沒有"
  ),
  ko: words(
    "은 는 이 가 을 를 에 의 도 로 와 과 하 한 다 나 까 요 어떻 떻게 무엇 언제 어디 하는 있는 니까 나요 에서 으로 합니 습니 니다"
  )
}
function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "))
}
