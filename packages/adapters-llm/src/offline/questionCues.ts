import { FUNCTION_WORDS, LANGUAGES, type Language, languageOf } from "@parley/core/adapter"
import { wordsOf } from "./wordStems.ts"

/** A kind of answer that the question's words ask for, and a pattern that such an answer contains. */
interface Cue {
  readonly asks: RegExp
  readonly has: RegExp
}

const MONEY = /[€$£]|\b(?:eur|euros?|usd|dollars?|chf|francs?|cents?|gbp|pounds?)\b|\d[.,]\d\d\b/iu
const AMOUNT = /\d/u
const DURATION =
  /\d[^.]{0,12}(?:sec|min|h\b|hour|day|week|month|year|yr|sekunde|stunde|tag|woche|monat|jahr|heure|jour|semaine|mois|\ban|segundo|hora|día|dia|semana|mes|año|ano|or[ae]\b|giorn|settiman|mes[ei]|ann[oi]|uur|dag|maand|ja+r)|(?:one|two|three|four|five|six|ten|thirty|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|douze|dos|tres|cuatro|cinco|doce|treinta) (?:business |working )?(?:day|week|month|year|hour|tag|woche|monat|jahr|werktag|heure|jour|mois|semaine|an|día|mes|hora|año)/iu
const DATE =
  /\d{1,2}[.:]\d\d|\b(?:19|20)\d\d\b|\d\s?(?:a\.m|p\.m|h\b|uhr)|\d{1,2}(?:st|nd|rd|th|\.)? (?:jan|feb|m[aä]r|apr|a[bv]r|ma[iy]|jun|jul|aug|ago|sep|okt|oct|nov|de[czs]|ene|f[ée]v|janv|juin|juil|ao[uû]t)|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)|\bdue\b|within|innerhalb/iu

const CUES: ReadonlyArray<Cue> = [
  {
    asks: /\b(?:cost|price|fee|pay|charge|kostet?|preis|teuer|prix|coûte|tarif|cuesta|precio|cuánto vale|costa|prezzo|prijs|kosten)\b|how expensive/iu,
    has: MONEY
  },
  {
    asks: /\bhow (?:long|quickly|fast|soon|often)|\bwie (?:lange|schnell|oft)|kündigungsfrist|combien de temps|quel délai|cuánto tiempo|quanto tempo|hoe lang/iu,
    has: DURATION
  },
  {
    asks: /\b(?:when|what time|which day|wann|uhrzeit|quand|quelle heure|quel jour|cuándo|qué hora|quando|che ora|wanneer)\b/iu,
    has: DATE
  },
  {
    asks: /\bhow (?:much|many|high|old|far|large|big|warm|hot)|\bwie (?:viele?|hoch|groß|alt|weit|warm)|wieviele?|welche[mnr]? (?:wert|höhe|temperatur)|combien|quelle température|cuánt[oa]s?|quant[oiae]|hoeveel|hur många|hvor mange/iu,
    has: AMOUNT
  }
]

/** Question words that carry no content. */
const ASKING = new Set(
  (
    "please tell explain describe list give show know much many long often far high old happen happens mean means " +
    "bitte erkläre nenne gib zeig viel viele lange oft hoch gibt gelten gilt bedeutet heißt " +
    "s'il plaît dis explique peux peut-on faut faire fait-on fait t-on temps expliquez " +
    "dime explica puedo puede tiempo hace favor dimmi spiega posso può leg uit vertel"
  ).split(" ")
)

/** A question taken apart. */
export interface ReadQuestion {
  readonly language: Language | undefined
  /** The words it is about, in small letters, each once. */
  readonly words: ReadonlyArray<string>
  /** The words that name one thing: with a digit, or with a capital in a language where only names have one. */
  readonly names: ReadonlySet<string>
  /** A pattern that an answer contains, if the question shows it. */
  readonly wants: RegExp | undefined
}

const ALL_FUNCTION_WORDS = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Small words of direction belong to the question: to turn off, to put up. */
const DIRECTIONS = new Set(["off", "out", "up", "down", "over", "under", "after", "before"])

const namesIn = (question: string, language: Language | undefined): ReadonlySet<string> => {
  const [, ...rest] = question.trim().split(/\s+/u)
  const named = language === "de" ? /\p{N}/u : /[\p{N}\p{Lu}]/u
  return new Set(rest.filter((word) => named.test(word)).flatMap((word) => wordsOf(word)))
}

/** Parses a question. If it is too short to detect its language, the function words of all languages are dropped. */
export const readQuestion = (question: string): ReadQuestion => {
  const language = languageOf(question, 2) ?? languageOf(question, 1)
  const skipped = language === undefined ? ALL_FUNCTION_WORDS : FUNCTION_WORDS[language]
  const words = wordsOf(question).filter((word) => (!skipped.has(word) || DIRECTIONS.has(word)) && !ASKING.has(word))
  const names = namesIn(question, language)
  return { language, words: [...new Set(words)], names, wants: CUES.find(({ asks }) => asks.test(question))?.has }
}
