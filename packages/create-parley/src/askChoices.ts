import { createInterface } from "node:readline"
import { type Choices, findAnswer, type Question, QUESTION_NAMES, QUESTIONS } from "./Choices.ts"

/** The input ended before every question was answered. */
export class InputEnded extends Error {
  constructor() {
    super("The input ended before the last answer. For a program, add --yes and the options.")
  }
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Returns the answer that a line names: by its number or its value, or the default answer for an empty line. */
const answerOf = <Answer extends string>(question: Question<Answer>, line: string): Answer | undefined => {
  const said = line.trim().toLowerCase()
  const { answers } = question
  return said === "" ? answers[0]?.value : (answers[Number(said) - 1]?.value ?? findAnswer(question, said))
}

const ask = async <Answer extends string>(
  question: Question<Answer>,
  lines: AsyncIterator<string>,
  output: NodeJS.WritableStream
): Promise<Answer> => {
  output.write(`${question.text}\n`)
  for (const [index, { label }] of question.answers.entries()) output.write(`  ${index + 1}  ${label}\n`)
  for (;;) {
    output.write(`1 to ${question.answers.length} [1]: `)
    const { done, value } = await lines.next()
    if (done === true) throw new InputEnded()
    const answer = answerOf(question, value)
    if (answer !== undefined) return answer
  }
}

/** Asks the questions that the command line has not answered. */
export const askChoices = async (given: Partial<Choices>, { input, output }: Terminal): Promise<Choices> => {
  const reader = createInterface({ input })
  const lines = reader[Symbol.asyncIterator]()
  try {
    const answers: Record<string, string> = {}
    for (const name of QUESTION_NAMES) {
      answers[name] = given[name] ?? (await ask<Choices[typeof name]>(QUESTIONS[name], lines, output))
    }
    return answers as unknown as Choices
  } finally {
    reader.close()
  }
}

/** Answers each open question with its default. */
export const defaultChoices = (given: Partial<Choices>): Choices => ({
  framework: "server",
  database: "embedded",
  "sign-in": "development",
  ...given
})
