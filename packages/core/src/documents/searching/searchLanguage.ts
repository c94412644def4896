import { FUNCTION_WORDS, LANGUAGES } from "./functionWords.ts"

/** The languages of texts, by their ISO 639-1 codes. For most of them an index reduces words to stems. */
export const SEARCH_LANGUAGES = [
  ...LANGUAGES,
  "ar",
  "ca",
  "el",
  "eu",
  "ga",
  "hi",
  "hu",
  "hy",
  "id",
  "ja",
  "ko",
  "lt",
  "ro",
  "sr",
  "ta",
  "th",
  "tr",
  "zh"
] as const
export type SearchLanguage = (typeof SEARCH_LANGUAGES)[number]

/** The language of a text whose language is not recognised, or has no stems: English. */
const ELSE: SearchLanguage = "en"

/**
 * Scripts that identify the language, or nearly so: if two languages share a script, the one with more readers is
 * listed.
 */
const SCRIPTS: ReadonlyArray<readonly [SearchLanguage, RegExp]> = [
  ["ar", /\p{sc=Arabic}/u],
  ["el", /\p{sc=Greek}/u],
  ["hi", /\p{sc=Devanagari}/u],
  ["hy", /\p{sc=Armenian}/u],
  ["ta", /\p{sc=Tamil}/u],
  ["ja", /[\p{sc=Hiragana}\p{sc=Katakana}]/u],
  ["zh", /\p{sc=Han}/u],
  ["ko", /\p{sc=Hangul}/u],
  ["th", /\p{sc=Thai}/u]
]

/**
 * Languages whose words are cut into characters and pairs: such a text has several times as many terms as texts in
 * other languages. Words in Latin letters in these texts are mostly English, and get English stems.
 */
const WITHOUT_STEMS: ReadonlySet<SearchLanguage> = new Set(["ja", "ko", "th", "zh"])

/** Returns the language whose stems and stop words are used for a language. */
export const stemLanguageOf = (language: SearchLanguage): SearchLanguage =>
  WITHOUT_STEMS.has(language) ? ELSE : language

/** Letters of Persian and Urdu that Arabic does not have. */
const NOT_ARABIC = /[\u067e\u0686\u0698\u06af\u06a9\u06cc\u06d2\u0679\u0688\u0691]/u

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Function words by which further languages are recognised. */
const MORE_WORDS: Readonly<Partial<Record<SearchLanguage, ReadonlySet<string>>>> = {
  ca: words(
    "a al amb aquest aquesta com de del dels el els en entre és està han hi i la les més molt no o on per però que quan què s'ha són també un una van va ser sense seva"
  ),
  eu: words(
    "aldiz arte baina bat batean bere beste da dira dituen du edo egin ere eta ez hau horrek izan izango ko nahi nola non oso zen zer ziren zuen"
  ),
  ga: words(
    "ach ag agus an ar as bhí bhfuil cad chun dá de do faoi gach gan go i is le leis mar na nach ní nuair ó sa san sé sí siad sin tá thar"
  ),
  hu: words(
    "a abban ahol aki akkor amely ami az azonban azt be csak de egy egyik el és ez ezek ezt fel ha hogy hogyan is ki kell lehet mely meg mert mi mikor mint minden nagyon nem nincs után vagy van volt voltak"
  ),
  id: words(
    "ada adalah akan apa atau bagaimana bahwa bisa dalam dan dapat dari dengan di harus ini itu juga kapan karena ke kepada mereka oleh pada saat sebagai secara sudah telah tidak untuk yang"
  ),
  lt: words(
    "apie ar bei bet bus buvo dėl gali iki ir iš į jei jis jo jos kad kaip kas ką kiek kur kurie kuris ne nėra nuo o pagal per po prie su tai tik turi už yra"
  ),
  ro: words(
    "a ai al ale am ar are au această acest ca care că ce cea cei cel când cât cu cum de decât despre din după este eu fi fost iar în într la lui mai ne nu o pe pentru prin sau să se sunt și unei unui"
  ),
  sr: words(
    "a ali bi bio bila biti da do где gde i iz ili je jer još kada kako kao koja koje koji li na ne nije od po pre sa se si su što šta to u uz za će а али би бити да до и из или је јер још када како као која које који на није од по пре са се су што у уз за ће"
  ),
  tr: words(
    "acaba ama ancak bir biz bu bunu çok da daha de değil dır diye en gibi göre hangi her için ile ise kadar karşı kaç ki kim mi mı mu nasıl ne neden nerede o olan olarak olduğu oldu olur sonra şu tarafından var ve veya ya yok zaman"
  )
}

/** For each function word, the languages to which it belongs. */
const LANGUAGES_OF: ReadonlyMap<string, ReadonlyArray<SearchLanguage>> = (() => {
  const languages = new Map<string, Array<SearchLanguage>>()
  for (const language of SEARCH_LANGUAGES) {
    const its = (FUNCTION_WORDS as typeof MORE_WORDS)[language] ?? MORE_WORDS[language]
    for (const word of its ?? []) languages.set(word, [...(languages.get(word) ?? []), language])
  }
  return languages
})()

/** Of a longer text, a sample decides: pieces of `length` UTF-16 units at `places` offsets, at even distances. */
const SAMPLE = { length: 2_000, places: 4 } as const
/** The minimum number of different function words, or of words in a script, that decide the language alone. */
const LEAST = 3
/** The minimum score of a shorter text, from function words and letters together. */
const LEAST_IN_ALL = 2
/**
 * A language in Latin letters must have at least this many more function words, or points, than English: English texts
 * contain words that are function words elsewhere ("care", "die", "van"), and most texts without a decisive word are
 * English.
 */
const BEFORE_ENGLISH = 2
const WORD = /[\p{L}\p{M}]+/gu
const PLAIN = /^[\0-\x7f]*$/u

const sampleOf = (text: string): string =>
  text.length <= SAMPLE.length * SAMPLE.places
    ? text
    : Array.from({ length: SAMPLE.places }, (_, place) => {
        const from = Math.floor(((text.length - SAMPLE.length) * place) / (SAMPLE.places - 1))
        return text.slice(from, from + SAMPLE.length)
      }).join(" ")

/**
 * Matches Cyrillic. Of a Cyrillic text without decisive words, the letters decide between the two languages with stems.
 */
const CYRILLIC = /\p{sc=Cyrillic}/u
const SERBIAN = /[\u0452\u0458-\u045b\u045f]/u

type Counts = ReadonlyMap<SearchLanguage, number>

const bestOf = (counts: Iterable<readonly [SearchLanguage, number]>) => {
  const [best, second] = [...counts].sort(([, one], [, other]) => other - one)
  return { best, isAlone: best?.[1] !== second?.[1] }
}

/**
 * Returns the language with the best score, if no other language has the same score and English is far enough behind.
 */
const decided = (scores: Counts): SearchLanguage | undefined => {
  const { best, isAlone } = bestOf(scores)
  if (best === undefined || !isAlone) return undefined
  return best[0] === ELSE || best[1] >= (scores.get(ELSE) ?? 0) + BEFORE_ENGLISH ? best[0] : undefined
}

/**
 * Returns the language of a text with few decisive words, judged by these words and by its letters; undefined if no
 * language fits better than all others.
 */
const shortTextLanguage = (sample: string, counts: Counts): SearchLanguage | undefined => {
  const { best, isAlone } = bestOf(counts)
  if (best !== undefined && isAlone && SCRIPTS.some(([language]) => language === best[0])) return best[0]
  if (CYRILLIC.test(sample)) return SERBIAN.test(sample) ? "sr" : "ru"
  const scores = new Map<SearchLanguage, number>()
  for (const [language, score] of letterScores(sample)) scores.set(language, score + (counts.get(language) ?? 0))
  const language = decided(scores)
  return language !== undefined && (scores.get(language) ?? 0) >= LEAST_IN_ALL ? language : undefined
}

/**
 * Returns the words of a text that may show its language, in lower case: without single letters, which are names and
 * marks, and without abbreviations in capitals ("AM", "ROM"), unless the whole text is in capitals.
 */
const decisiveWords = (sample: string): ReadonlyArray<string> => {
  const isInCapitals = sample === sample.toUpperCase()
  const words = sample.match(WORD) ?? []
  return words
    .filter((word) => word.length > 1 && (isInCapitals || !PLAIN.test(word) || word !== word.toUpperCase()))
    .map((word) => word.toLowerCase())
}

/**
 * Returns the recognised language of a text: that of most different function words, or of most words in a script of its
 * own, in samples from the whole text; for a short text also judged by its letters. Undefined if none is recognised, or
 * if another language is hardly ahead of English.
 */
export const shownLanguageOf = (text: string): SearchLanguage | undefined => {
  const counts = new Map<SearchLanguage, number>()
  const sample = sampleOf(text)
  const counted = new Set<string>()
  for (const word of decisiveWords(sample)) {
    const script = PLAIN.test(word) ? undefined : SCRIPTS.find(([, letters]) => letters.test(word))
    if (script === undefined && counted.has(word)) continue
    counted.add(word)
    const languages = script === undefined ? LANGUAGES_OF.get(word) : [script[0]]
    for (const language of languages ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const lower = sample.toLowerCase()
  if (NOT_ARABIC.test(lower)) counts.delete("ar")
  const language = decided(counts)
  return language === undefined || (counts.get(language) ?? 0) < LEAST ? shortTextLanguage(lower, counts) : language
}

/**
 * Returns the language whose stems are used for a document or a question: the recognised language; otherwise `usual`,
 * the language of most of the owner's other documents; otherwise English. A document has the same language for all
 * queries.
 */
export const searchLanguageOf = (text: string, usual: SearchLanguage | undefined = ELSE): SearchLanguage =>
  shownLanguageOf(text) ?? usual

interface Letters {
  /** Letters that nearly identify the language; `shared` are letters that it shares with others. */
  readonly own: string
  readonly shared: string
}

/** The letters beyond ASCII of each language. */
const LETTERS = {
  ca: { own: "", shared: "àçèéíïòóúü" },
  da: { own: "", shared: "æøåé" },
  de: { own: "ß", shared: "äöü" },
  // These letters occur in loanwords.
  en: { own: "", shared: "éèêçñï" },
  es: { own: "ñ", shared: "áéíóúü" },
  eu: { own: "", shared: "ñ" },
  fi: { own: "", shared: "äöå" },
  fr: { own: "œ", shared: "àâçéèêëîïôùûü" },
  ga: { own: "", shared: "áéíóú" },
  hu: { own: "őű", shared: "áéíóöúü" },
  id: { own: "", shared: "" },
  it: { own: "", shared: "àèéìòù" },
  lt: { own: "ėįų", shared: "ąčęšūž" },
  nl: { own: "", shared: "éëïóöü" },
  no: { own: "", shared: "æøåé" },
  pt: { own: "ãõ", shared: "áâàçéêíóôú" },
  ro: { own: "ățţ", shared: "âîșş" },
  // `\u0307` is the combining dot that remains when a capital I with a dot is lowercased.
  tr: { own: "ığ\u0307", shared: "çöşüâ" },
  sv: { own: "", shared: "åäöé" }
} as const satisfies Readonly<Record<string, Letters>>
type LatinLanguage = keyof typeof LETTERS

const BEYOND_ASCII = /(?=\p{sc=Latin})[^\0-\x7f]|\u0307/gu

/** Returns the languages in Latin letters, each with the score of the letters in a lower-case text. */
export const letterScores = (text: string): ReadonlyArray<readonly [LatinLanguage, number]> => {
  const found = new Set(text.match(BEYOND_ASCII))
  const scores: Array<readonly [LatinLanguage, number]> = []
  for (const [language, { own, shared }] of Object.entries(LETTERS) as ReadonlyArray<[LatinLanguage, Letters]>) {
    let score = 0
    for (const letter of found) score += own.includes(letter) ? 2 : shared.includes(letter) ? 1 : -1
    scores.push([language, score])
  }
  return scores
}
