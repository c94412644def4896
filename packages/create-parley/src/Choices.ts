/** A question with its possible answers, the default first. */
export interface Question<Answer extends string> {
  readonly text: string
  readonly answers: ReadonlyArray<{ readonly value: Answer; readonly label: string }>
}

export type Framework = "express" | "fastify" | "hono" | "next" | "server"
export type StorageKind = "embedded" | "postgres"
export type SignInKind = "development" | "jwks" | "secret"

/** The answers to the three questions. */
export interface Choices {
  readonly framework: Framework
  readonly database: StorageKind
  readonly "sign-in": SignInKind
}

export const QUESTIONS: { readonly [Name in keyof Choices]: Question<Choices[Name]> } = {
  framework: {
    text: "Framework",
    answers: [
      { value: "server", label: "none: the plain server, with its dashboard" },
      { value: "express", label: "Express" },
      { value: "fastify", label: "Fastify" },
      { value: "hono", label: "Hono" },
      { value: "next", label: "Next.js" }
    ]
  },
  database: {
    text: "Database",
    answers: [
      { value: "embedded", label: "embedded: Postgres in the server's own process" },
      { value: "postgres", label: "a Postgres server" }
    ]
  },
  "sign-in": {
    text: "Sign-in",
    answers: [
      { value: "development", label: "development: any address, from this machine only" },
      { value: "secret", label: "tokens that your application signs with a secret" },
      { value: "jwks", label: "an identity provider's tokens (JWKS)" }
    ]
  }
}

/** The questions, in the order in which they are asked. */
export const QUESTION_NAMES = ["framework", "database", "sign-in"] as const

/** Returns the answer with this value; undefined if the question has no such answer. */
export const findAnswer = <Answer extends string>(question: Question<Answer>, value: string): Answer | undefined =>
  question.answers.find((answer) => answer.value === value)?.value
