import { describe, expect, it } from "vitest"
import { admin as adminEnglish } from "../app/messages/en/admin.ts"
import { keys as keysEnglish } from "../app/messages/en/keys.ts"
import { reindexing as reindexingEnglish } from "../app/messages/en/reindexing.ts"
import { versions as versionsEnglish } from "../app/messages/en/versions.ts"
import { english as applicationEnglish } from "../app/messages/en/index.ts"
import { type Language, LANGUAGES, type Message, wordingOf } from "../app/messages/format.ts"
import { localeOf } from "../app/messages/language.ts"
import { admin as adminGerman } from "../app/messages/de/admin.ts"
import { keys as keysGerman } from "../app/messages/de/keys.ts"
import { reindexing as reindexingGerman } from "../app/messages/de/reindexing.ts"
import { versions as versionsGerman } from "../app/messages/de/versions.ts"
import { german as applicationGerman } from "../app/messages/de/index.ts"

const english = { ...applicationEnglish, ...adminEnglish, ...keysEnglish, ...reindexingEnglish, ...versionsEnglish }
const german = { ...applicationGerman, ...adminGerman, ...keysGerman, ...reindexingGerman, ...versionsGerman }
const catalogues: Readonly<Record<Language, Readonly<Record<string, Message>>>> = { en: english, de: german }

const textsOf = (message: Message): ReadonlyArray<string> =>
  typeof message === "string" ? [message] : Object.values(message)
const placeholdersOf = (message: Message) =>
  [...new Set(textsOf(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)))].toSorted()

describe.each(LANGUAGES)("the texts in %s", (language) => {
  const catalogue = catalogues[language]

  it("are as many as in English, under the same keys, and none is empty", () => {
    expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(english).toSorted())
    expect(
      Object.entries(catalogue).filter(([, message]) => textsOf(message).some((text) => text.trim() === ""))
    ).toEqual([])
  })

  it("name the same values as in English, and have a form for each plural where English has", () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
    for (const [key, message] of Object.entries<Message>(english)) {
      const other = catalogue[key] ?? ""
      expect([key, placeholdersOf(other)]).toEqual([key, placeholdersOf(message)])
      if (typeof message !== "string") expect([key, Object.keys(other).toSorted()]).toEqual([key, categories])
    }
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

  it("distinguishes singular and plural, and formats numbers and sizes for its readers", () => {
    const en = wordingOf("en", "en")
    const de = wordingOf("de", "de")
    expect(en.format(english["count.credits"], { count: 1 })).toBe("1 credit")
    expect(en.format(english["count.credits"], { count: 1_200 })).toBe("1,200 credits")
    expect(de.format(german["count.credits"], { count: 1_200 })).toBe("1.200 Credits")
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
