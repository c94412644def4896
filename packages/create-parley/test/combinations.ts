import { type Choices, QUESTIONS } from "../src/Choices.ts"

const valuesOf = <Name extends keyof Choices>(name: Name) => QUESTIONS[name].answers.map(({ value }) => value)
/** Each set of answers to the questions. */
export const combinations: ReadonlyArray<Choices> = valuesOf("framework").flatMap((framework) =>
  valuesOf("database").flatMap((database) =>
    valuesOf("sign-in").map((signIn): Choices => ({ framework, database, "sign-in": signIn }))
  )
)
export const nameOf = (choices: Choices) => Object.values(choices).join("-")
