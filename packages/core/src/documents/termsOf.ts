import { searchableText } from "./searchableText.ts"

/** Words too common to tell passages apart. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do " +
    "does doing down during each few for from further had has have having he her here hers him his how i if in into is " +
    "it its just me more most my no nor not now of off on once only or other our out over own s same she should so " +
    "some such t than that the their them then there these they this those through to too under until up very was we " +
    "were what when where which while who whom why will with would you your"
  ).split(" ")
)

/** The terms of a text with how often each occurs, in the order of their first occurrence. */
export const termsOf = (text: string): ReadonlyMap<string, number> => {
  const terms = new Map<string, number>()
  for (const word of searchableText(text).split(" ")) {
    if (word === "" || STOP_WORDS.has(word)) continue
    const term = withoutPlural(word)
    terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  return terms
}

/** The plural endings of English only: the S stemmer of Harman, "How effective is suffixing?" (JASIS 42, 1991), table 2. */
const withoutPlural = (word: string): string => {
  if (/(?<![ea])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1)
  return /[^us]s$/.test(word) ? word.slice(0, -1) : word
}
