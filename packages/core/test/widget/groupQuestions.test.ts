import { describe, expect, it } from "vitest"
import fc from "fast-check"
import { groupQuestions } from "../../src/widget/analytics/groupQuestions.ts"

const asked = (question: string, at = 0) => ({ question, at, conversationId: `c-${at}` })

describe("groups of questions", () => {
  it("join questions with most of their words in common, the most frequent group first, named by its newest", () => {
    const groups = groupQuestions([
      asked("What does the delivery to Spain cost?", 5),
      asked("Do you sell gift cards?", 4),
      asked("what does delivery to SPAIN cost", 3),
      asked("How much does the delivery to Spain cost?", 2),
      asked("Where is my parcel?", 1)
    ])
    expect(groups.map(({ count, question }) => [count, question])).toEqual([
      [3, "What does the delivery to Spain cost?"],
      [1, "Do you sell gift cards?"],
      [1, "Where is my parcel?"]
    ])
    expect(groups[0]?.conversationIds).toEqual(["c-5", "c-3", "c-2"])
  })

  it("contain each question once, whatever is asked", () => {
    const question = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom("price", "delivery", "Spain", "a", "?")).map((all) => all.join(" "))
    )
    fc.assert(
      fc.property(fc.array(question, { maxLength: 40 }), (questions) => {
        const groups = groupQuestions(questions.map((each, place) => asked(each, questions.length - place)))
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(questions.length)
        expect(groups.every(({ conversationIds }) => conversationIds.length <= 5)).toBe(true)
      })
    )
  })
})
