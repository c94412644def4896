import { describe, expect, it } from "vitest"
import { type Language, LANGUAGES, type Message, wordingOf } from "../app/messages/format.ts"
import { localeOf } from "../app/messages/language.ts"
import { loadCatalogue } from "../app/messages/loadCatalogue.ts"

type Texts = Readonly<Record<string, Message>>

/** The texts that are loaded with a part of the application. */
const PARTS = ["admin", "crm", "keys", "reindexing", "sharing", "versions"] as const

/** Those with a folder of their own. */
const FOLDERS = ["handover", "projects", "widget"] as const

const catalogueIn = async (language: Language): Promise<Texts> => {
  const parts = await Promise.all([
    ...PARTS.map(
      async (part) => ((await import(`../app/messages/${language}/${part}.ts`)) as Record<string, Texts>)[part]
    ),
    ...FOLDERS.map(
      async (part) => ((await import(`../app/messages/${part}/${language}.ts`)) as Record<string, Texts>)[part]
    )
  ])
  return Object.assign({}, await loadCatalogue(language), ...parts) as Texts
}

const loaded = await Promise.all(LANGUAGES.map(async (language) => [language, await catalogueIn(language)] as const))
const catalogues = Object.fromEntries(loaded) as Readonly<Record<Language, Texts>>
const { en: english } = catalogues

const textsOf = (message: Message): ReadonlyArray<string> =>
  typeof message === "string" ? [message] : Object.values(message)
const placeholdersOf = (message: Message) =>
  [...new Set(textsOf(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)))].toSorted()

describe.each(LANGUAGES)("the texts in %s", (language) => {
  it("are as many as in English, under the same keys, and none is empty", () => {
    const catalogue = catalogues[language]
    expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(english).toSorted())
    expect(
      Object.entries(catalogue).filter(([, message]) => textsOf(message).some((text) => text.trim() === ""))
    ).toEqual([])
  })

  it("name the same values as in English, and have a form for each plural if English has", () => {
    const catalogue = catalogues[language]
    // Whole millions, which in digits read as any other number.
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const categories = pluralCategories.filter((category) => category !== "many").toSorted()
    for (const [key, message] of Object.entries(english)) {
      const other = catalogue[key] ?? ""
      expect([key, placeholdersOf(other)]).toEqual([key, placeholdersOf(message)])
      expect([key, typeof other]).toEqual([key, typeof message])
      if (typeof message !== "string") expect([key, Object.keys(other).toSorted()]).toEqual([key, categories])
    }
  })

  it("write no number in digits that the locale writes otherwise", () => {
    const numbers = Object.entries(catalogues[language]).filter(([, message]) =>
      textsOf(message).some((text) => /\d[.,\s]\d{3}/.test(text))
    )
    expect(numbers).toEqual([])
  })
})

describe("the locale of a language", () => {
  it.each([
    ["is the browser's own where the browser reads that language", "en", ["de-AT", "en-GB", "en-US"], "en-GB"],
    ["has the browser's region where it does not", "en", ["de-CH"], "en-CH"],
    ["has the region that a language without one is mostly spoken in", "de", ["fr"], "de-FR"],
    ["is the language alone where the browser says nothing that is a locale", "de", ["not a locale"], "de"],
    ["is the language alone where the browser says nothing", "en", [], "en"]
  ] as const)("%s", (_what, language, ofBrowser, locale) => {
    expect(localeOf(language, ofBrowser)).toBe(locale)
  })
})

describe("a language", () => {
  it("writes days in the order of its locale", () => {
    const day = "2026-11-03T12:00:00Z"
    expect(wordingOf("en", "en-US").day(day)).toBe("November 3, 2026")
    expect(wordingOf("en", "en-GB").day(day)).toBe("3 November 2026")
    expect(wordingOf("de", "de-CH").separators).toEqual({ thousands: "’", decimal: "." })
  })

  it("is written with the digits, days and plurals of its locale", () => {
    const day = "2026-11-03T12:00:00Z"
    const said = (language: Language, locale: string) => {
      const wording = wordingOf(language, locale)
      const { "count.credits": credits = "" } = catalogues[language]
      return [0, 1, 1_234, 2_000_000].map((count) => wording.format(credits, { count })).concat(wording.day(day))
    }
    expect(said("fr", "fr-FR")).toEqual([
      "0 crédit",
      "1 crédit",
      "1\u202f234 crédits",
      "2\u202f000\u202f000 crédits",
      "3 novembre 2026"
    ])
    expect(said("es", "es-MX")).toEqual([
      "0 créditos",
      "1 crédito",
      "1,234 créditos",
      "2,000,000 créditos",
      "3 de noviembre de 2026"
    ])
    expect(said("pt", "pt-BR")).toEqual([
      "0 crédito",
      "1 crédito",
      "1.234 créditos",
      "2.000.000 créditos",
      "3 de novembro de 2026"
    ])
  })

  it("distinguishes singular and plural, and formats numbers and sizes for its readers", () => {
    const en = wordingOf("en", "en")
    const de = wordingOf("de", "de")
    expect(en.format(english["count.credits"] ?? "", { count: 1 })).toBe("1 credit")
    expect(en.format(english["count.credits"] ?? "", { count: 1_200 })).toBe("1,200 credits")
    expect(de.format(catalogues.de["count.credits"] ?? "", { count: 1_200 })).toBe("1.200 Credits")
    expect([0, 1, 980, 20_971_520, 1_572_864].map(en.size)).toEqual([
      "0 bytes",
      "1 byte",
      "980 bytes",
      "20 MB",
      "1.5 MB"
    ])
    expect(de.size(1_572_864)).toBe("1,5 MB")
  })
})
