import type { SearchLanguage } from "./searchLanguage.ts"

/**
 * Endings of nouns, adjectives and the commonest verbs, longest first: light stemming in the sense of Savoy, "Light stemming
 * approaches for the French, Portuguese, German and Hungarian languages" (SAC 2006). A stem has at least three letters.
 */
const ENDINGS: Readonly<Partial<Record<SearchLanguage, ReadonlyArray<string>>>> = {
  ar: "يات ات ون ين ان ها ية ة ه ي".split(" "),
  da: "ernes erne ene ers er en et es e s".split(" "),
  de: "ungen ung ern en es e s n".split(" "),
  es: "aciones ación es os as o a e".split(" "),
  fi: "issa issä ista istä ssa ssä sta stä lle lla llä lta ltä jen ien sen ten set sia ia iä in et on en an än at ät n t a ä o s".split(
    " "
  ),
  fr: "ations ation aux es er és ée al e s x".split(" "),
  it: "azioni azione i e o a".split(" "),
  nl: "heden en er e s".split(" "),
  no: "ene ers er en et es e s".split(" "),
  pt: "ações ação es os as o a s".split(" "),
  ru: "иями ями ами ого ему ыми ими ах ях ов ев ей ой ый ий ая ое ые ом ем ам ям ы и а я у ю о е ь".split(" "),
  sv: "arna erna orna or ar er en et na a e n s t".split(" "),
  tr: "lerinde larında lerin ların lerde larda ler lar nin nın nun nün in ın de da i ı".split(" ")
}

const LEAST = 3

/** The plural endings of English only: the S stemmer of Harman, "How effective is suffixing?" (JASIS 42, 1991), table 2. */
const withoutPlural = (word: string): string => {
  if (/(?<![ea])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1)
  return /[^us]s$/.test(word) ? word.slice(0, -1) : word
}

/** Returns a word without the commonest ending of its language, for an index that has no stemmer of its own. */
export const lightStem = (word: string, language: SearchLanguage): string => {
  if (language === "en") return withoutPlural(word)
  const ending = ENDINGS[language]?.find((each) => word.endsWith(each) && word.length - each.length >= LEAST)
  return ending === undefined ? word : word.slice(0, -ending.length)
}
