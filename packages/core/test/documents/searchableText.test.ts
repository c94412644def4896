import { searchableQuery, searchableText } from "@parley/core/adapter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { processorTime } from "../processorTime.ts"

describe("searchableText", () => {
  it.each([
    ["Pressure/temperature, don't!", "pressure temperature don t"],
    ["ﬁne ① CAFÉ naïve", "fine 1 café naïve"],
    ["揚力", "揚 力 揚力"],
    ["alterna-\ntives", "alterna tives alternatives"],
    ["\0a\ud800b\u202ec", "a b c"],
    ["orni\u00adthopter flap\u00ad\nping", "ornithopter flap ping flapping"],
    ["المكتبات مكتبات مكتبة بنات", "مكتب مكتب مكتبة بنات"],
    ["?!", ""]
  ])("makes %j into %j", (text, words) => {
    expect(searchableText(text)).toBe(words)
  })

  it.each([
    ["Reparacion, educacion", "reparación educación"],
    ["locacao locacoes", "locação locações"],
    ["cacao, decision, operations, employee, oboes", "cacao decision operations employee oboes"]
  ])("asks %j as %j, with the accents that tell a stemmer the ending, and nothing else", (query, words) => {
    expect(searchableQuery(query)).toBe(words)
    expect(searchableQuery(words)).toBe(words)
  })

  it.each([
    ["What is the price of the care?", "price care"],
    ["Wer darf die Wohnung und den Keller nutzen?", "darf wohnung keller nutzen"],
    ["¿Dónde está la llave de la cocina?", "llave cocina"],
    ["ディスクを消す方法", "デ ィ ス ク 消 方 法 ディ ィス スク クを を消 消す す方 方法"],
    ["磁盘的备份是什么", "磁 盘 备 份 磁盘 盘的 的备 备份 份是"],
    ["보증 기간은 언제 끝나요", "보 증 보증 기 간 기간 간은 언 제 끝 끝나"],
    ["のは", "の は のは"],
    ["To be or not to be?", "to be or not to be"],
    ["die hard", "die hard"]
  ])("asks %j as %j: without the stop words of its language, unless it has no other words", (query, words) => {
    expect(searchableQuery(query)).toBe(words)
  })

  it("gives, for any text, well-formed words in lower case apart by white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = searchableText(text)
        expect(words.isWellFormed()).toBe(true)
        expect(words).toMatch(/^([\p{L}\p{N}\p{M}]+\s+)*([\p{L}\p{N}\p{M}]+)?$/u)
      }),
      { numRuns: 1000 }
    )
  })

  it("takes time that grows with the text only", () => {
    const took = processorTime()
    for (const unit of ["x", "x-", "-\n", "日", "é ", "x-\n"]) searchableText(unit.repeat(100_000))
    for (const unit of ["x", "x-\n", "日"]) searchableQuery(unit.repeat(5_000_000))
    expect(took()).toBeLessThan(20_000)
  })
})
