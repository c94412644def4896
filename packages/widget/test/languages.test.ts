import { describe, expect, it } from "vitest"
import { BOT_LANGUAGES } from "../../core/src/bots/botFields.ts"
import { Catalogue } from "../app/frame/languages/Catalogue.ts"
import { texts as english } from "../app/frame/languages/en.ts"
import { LANGUAGES, languageAt, loadTexts } from "../app/frame/languages/languages.ts"

const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

describe.each(LANGUAGES)("the texts in %s", (language) => {
  it("have the names of the English ones, no more and no fewer, and none is empty", async () => {
    const texts = await loadTexts(language)
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted())
    expect(Object.entries(texts).filter(([, text]) => text.trim() === "")).toEqual([])
    expect(texts.lang).toBe(language)
    expect(texts.dir).toBe(new Set(["ar"]).has(language) ? "rtl" : "ltr")
  })

  it("take the same values as in English", async () => {
    const texts: Readonly<Record<string, string>> = await loadTexts(language)
    for (const [name, text] of Object.entries<string>(english)) {
      expect([name, placeholdersOf(texts[name] ?? "")]).toEqual([name, placeholdersOf(text)])
    }
  })

  it("name a duration with the digits of the other numbers", async () => {
    expect(new Catalogue(await loadTexts(language), {}).duration(75)).toMatch(/75/)
  })
})

it("the owner of a bot can give its texts in each language of the chat", () => {
  expect([...BOT_LANGUAGES]).toEqual(LANGUAGES)
})

describe("the language of the chat", () => {
  it.each([
    ["is the one that the page asks for", "?lang=fr,de", ["en"], "fr"],
    ["is that of the page if it asks for none", "?lang=,de-CH", ["en"], "de"],
    ["is that of the page if the chat lacks the one that it asks for", "?lang=sv,de", ["en"], "de"],
    [
      "is the first one of the browser that the chat has, if the page has none of them",
      "?lang=,sv",
      ["da", "pt-BR"],
      "pt"
    ],
    ["is the browser's without a page around it", "", ["ja-JP", "en"], "ja"],
    ["is English if neither names a known one", "?lang=tlh,x-none", ["sv", "toString"], "en"],
    ["is English if neither names any", "?lang=,", [], "en"],
    ["has any region, script and case", "?lang=%20AR_eg,", ["en"], "ar"]
  ])("%s", (_what, query, ofBrowser, language) => {
    expect(languageAt(`https://chat.example.com/widget/pk_0${query}#preview`, ofBrowser)).toBe(language)
  })
})
