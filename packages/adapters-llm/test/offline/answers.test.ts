import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isRight, openDocuments, saysWords } from "./askDocuments.ts"
import { JUDGED, type Question, TUNING } from "./questions.ts"

/** Today's wrong answers; each one matches words outside the answer, or only one word. */
const WRONG: ReadonlyArray<string> = [
  // Search finds no passage: it knows English endings only.
  "Welche Kündigungsfristen gelten?",
  // Three sentences have "guarantee", and nothing else of the question is in any; the right one is quoted second.
  "How long is the guarantee?",
  // "jour" is not in the answer, and "boutique" is in the sentence before it.
  "Quel jour la boutique est-elle fermée ?",
  // The sentence after the right one also has "température"; the right one is quoted second.
  "À quelle température la pâte doit-elle être après le pétrissage ?"
]

describe("the offline model's answers from real documents", () => {
  let documents: Awaited<ReturnType<typeof openDocuments>>
  beforeAll(async () => void (documents = await openDocuments()))
  afterAll(() => documents.close())

  const wrongOf = async (questions: ReadonlyArray<Question>) => {
    const wrong: Array<string> = []
    for (const question of questions) {
      if (!isRight(question, await documents.ask(question.asked))) wrong.push(question.asked)
    }
    return wrong
  }

  it("are right, or no match, for the questions that thresholds were tuned on", async () => {
    expect((await wrongOf(TUNING)).filter((asked) => !WRONG.includes(asked))).toEqual([])
  })

  it("are right, or no match, for the questions that were never looked at in tuning: at least nine of ten", async () => {
    const wrong = await wrongOf(JUDGED)
    expect(wrong.filter((asked) => !WRONG.includes(asked))).toEqual([])
    expect(wrong.length).toBeLessThanOrEqual(JUDGED.length / 10)
  })

  it("quote whole sentences, none of them twice, of the passages they cite", async () => {
    for (const { asked } of [...TUNING, ...JUDGED]) {
      const { quotes, sources } = await documents.ask(asked)
      const said = quotes.map(({ text }) => text)
      expect(new Set(said).size, asked).toBe(said.length)
      said.forEach((quote, index) => {
        for (const other of said.slice(index + 1))
          expect(quote.includes(other) || other.includes(quote), asked).toBe(false)
      })
      for (const { number, text } of quotes) {
        const cited = sources.find((source) => source.number === number)
        expect(saysWords(cited?.text ?? "", text), `${asked}: ${text}`).toBe(true)
        expect(text, asked).not.toMatch(/(?:\b(?:vs|Fig|Nr|No|Dr|Prof|Ms|cf|z|d|ca|env|máx|Art|M)\.)$/)
      }
    }
  })
})
