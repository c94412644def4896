import { describe, expect, it } from "vitest"
import type { FoundPassage } from "../../src/documents/Document.ts"
import { nearBest, relevantPassages } from "../../src/documents/searching/relevantPassages.ts"

const found = (text: string, more: Partial<FoundPassage> = {}): FoundPassage => ({
  ordinal: 0,
  page: null,
  start: 0,
  end: text.length,
  text,
  documentId: "d",
  filename: "f",
  score: 1,
  ...more
})

const isKept = (question: string, passage: FoundPassage, nearFrom?: number) =>
  relevantPassages(question, [passage], nearFrom).length === 1

const LEASE =
  "In good time, either party may end the lease of the warehouse with a notice of ninety days. The tenant repairs the crane."
const REPORT = "Capital expenditure and working capital: the capital of the company grew, and capital was returned."

describe("a passage found for a question", () => {
  it.each([
    ["in English", "What is the capital of Mongolia?"],
    ["in words typed in haste", "whats the capital of Mongolia"],
    ["in another language", "¿Cuál es la capital de Mongolia?"]
  ])("is left out if it has but a common word of a question that names something else, %s", (_how, question) => {
    expect(isKept(question, found(REPORT))).toBe(false)
  })

  it("takes time that is linear in a question of any white space", () => {
    // With quadratic time this takes minutes.
    const question = `Hi there${"\u2003".repeat(349_000)}Ann`
    expect(relevantPassages(question, [])).toEqual([])
  })

  it("is left out if it has one of many words", () => {
    expect(
      isKept("How do I get a nice table in the best restaurant of Paris?", found("The best way to count the crates."))
    ).toBe(false)
  })

  it.each([
    ["as it is", "With which notice may the lease be ended?"],
    ["with one mistyped word", "With which notise may the laese be ended?"],
    ["with a mistyped word beside a common one", "What is the good ntoice?"],
    ["with a letter too few", "Who repairs the cran?"],
    ["with other forms of its words", "Which repairing do tenants do, and what of leases?"],
    ["in words typed in haste", "whats the notice 4 the lease pls"],
    ["with more to it than the passage has", "Can the tenant of a warehouse in Hamburg end the lease before its end?"],
    ["in one word", "crane"],
    ["in its own words", LEASE]
  ])("is kept if the question asks for it %s", (_what, question) => {
    expect(isKept(question, found(LEASE))).toBe(true)
  })

  it.each([
    ["German", "Wie hoch ist die Kaution für die Mieter?", "Die Kautionen der Mieterin betragen drei Monatsmieten."],
    ["German without its marks", "Wie lang ist die Ubergangsfrist?", "Die Übergangsfrist beträgt drei Jahre."],
    ["French", "Quel est le montant des loyers ?", "Le loyer est payable chaque mois, son montant est fixe."],
    ["Spanish", "¿Quién paga las reparaciones?", "La reparación de la grúa la paga el arrendatario."],
    ["Finnish", "Kuka korjaa nosturin?", "Vuokralainen korjauttaa nosturit."],
    ["Russian", "Кто ремонтирует краны?", "Ремонт крана оплачивает арендатор."],
    ["Turkish", "Depozitolar ne zaman ödenir?", "Depozito sözleşmeden sonra ödenmelidir."],
    ["Japanese", "敷金はいくらですか", "敷金は家賃の三か月分とする。"],
    ["Arabic", "ما هو مبلغ الإيجار؟", "مبلغ الإيجار الشهري ألف."]
  ])("is kept for a question in %s, in other forms of its words", (_language, question, text) => {
    expect(isKept(question, found(text))).toBe(true)
  })

  it.each([
    ["When was the company established?", "The company was founded in 1990."],
    ["how much rent must be payed", "The rent is 1,450 euros a month."],
    ["When did the CEO resign?", "The chief executive officer resigned in May."],
    [
      "Wo liegt der Firmensitz?",
      "Das Unternehmen hat seinen Sitz in Bonn und liegt am Rhein, nicht weit von der Stadt."
    ]
  ])("is kept if it says in other words what else the question says: %s", (question, text) => {
    expect(isKept(question, found(text))).toBe(true)
  })

  it("counts what its headings say", () => {
    const headings = [{ level: 1, title: "Repairs of the crane", start: 0 }]
    expect(isKept("Who repairs the crane?", found("The tenant does.", { headings }))).toBe(true)
  })

  it("is kept if its document names elsewhere what the question names, in a passage or in the file's name", () => {
    const charge = found("The provider may charge five euros.")
    const parties = found("This contract is made with Vodafone.")
    const question = "How much does Vodafone charge?"
    expect(relevantPassages(question, [charge])).toEqual([])
    expect(relevantPassages(question, [charge, parties])).toEqual([charge, parties])
    expect(relevantPassages(question, [{ ...charge, documentId: "other" }, parties])).toEqual([parties])
    expect(isKept(question, { ...charge, filename: "vodafone-2024.pdf" })).toBe(true)
  })

  it.each([
    "Summarise the main findings of this paper",
    "Give me an overview of the obligations",
    "Translate this contract into French",
    "Fasse die wichtigsten Pflichten zusammen",
    "Résume ce contrat",
    "What is this document?",
    "Explain the file",
    "What is it?",
    "?!"
  ])("is kept if the question asks for the whole, or names nothing: %s", (question) => {
    expect(isKept(question, found("The harbour lies in the north."))).toBe(true)
  })

  it("is kept if a whole letter is pasted with the question", () => {
    const letter = Array.from({ length: 150 }, (_, n) => `sentence${n} wording${n}`).join(" ")
    expect(isKept(`I got this letter: ${letter}. What is my notice?`, found(LEASE))).toBe(true)
  })

  it("is kept for its meaning alone if it is near enough, by the embedder's own measure where there is one", () => {
    const near = (similarity: number, nearFrom?: number) =>
      isKept("What is the capital of Mongolia?", found("Ulaanbaatar", { similarity }), nearFrom)
    expect([near(0.3), near(0.2), near(0.3, 0.5), near(0.5, 0.5), near(Number.NaN)]).toEqual([
      true,
      false,
      false,
      true,
      false
    ])
  })

  it("is kept for its words however far an embedder without meaning puts it", () => {
    expect(isKept("With which notice may the lease be ended?", found(LEASE, { similarity: -0.4 }))).toBe(true)
  })

  it("keeps its place among the others", () => {
    const all = ["The lease ends.", "Of something else.", "A notice ends the lease."].map((text, place) =>
      found(text, { documentId: `d${place}` })
    )
    expect(relevantPassages("How does the lease end?", all)).toEqual([all[0], all[2]])
  })
})

describe("found passages", () => {
  const ranked = (...scores: ReadonlyArray<number>) => scores.map((score) => found(`${score}`, { score }))
  const kept = (passages: ReadonlyArray<FoundPassage>, nearFrom?: number) =>
    nearBest(passages, nearFrom).map(({ score }) => score)

  it("far below the best one are left out, in any unit of the scores", () => {
    expect(kept(ranked(8, 5, 1, 0.9, 0.1))).toEqual([8, 5, 1])
    expect(kept(ranked(0.08, 0.05, 0.01, 0.009, 0.001))).toEqual([0.08, 0.05, 0.01])
  })

  it("stay if the scores say nothing, or if there are none", () => {
    expect(kept(ranked(0, 0))).toEqual([0, 0])
    expect(kept([])).toEqual([])
  })

  it("far below the best one stay if their meaning is near", () => {
    const passages = [found("best", { score: 8 }), found("near", { score: 0.1, similarity: 0.6 })]
    expect(kept(passages)).toEqual([8, 0.1])
    expect(kept(passages, 0.7)).toEqual([8])
  })
})
