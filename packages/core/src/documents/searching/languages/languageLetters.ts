interface Letters {
  /** Letters that tell it alone, or nearly so, beside those that it shares. */
  readonly own: string
  readonly shared: string
}

/** What each language has beside the letters of ASCII. */
const LETTERS = {
  ca: { own: "", shared: "àçèéíïòóúü" },
  da: { own: "", shared: "æøåé" },
  de: { own: "ß", shared: "äöü" },
  // Of words that came from elsewhere.
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
  // The dot is what is left of a capital of it in small letters.
  tr: { own: "ığ\u0307", shared: "çöşüâ" },
  sv: { own: "", shared: "åäöé" }
} as const satisfies Readonly<Record<string, Letters>>
type LatinLanguage = keyof typeof LETTERS

const BEYOND_ASCII = /(?=\p{sc=Latin})[^\0-\x7f]|\u0307/gu

/** Languages in Latin letters, each with what the letters of a text in lower case tell for it, or against it. */
export const letterScores = (text: string): ReadonlyArray<readonly [LatinLanguage, number]> => {
  const found = new Set(text.match(BEYOND_ASCII))
  return (Object.entries(LETTERS) as ReadonlyArray<[LatinLanguage, Letters]>).map(([language, { own, shared }]) => {
    const scores = [...found].map((letter) => (own.includes(letter) ? 2 : shared.includes(letter) ? 1 : -1))
    return [language, scores.reduce<number>((sum, score) => sum + score, 0)]
  })
}
