import type { Schema } from "effect"
import { Problem, PROBLEM_CONTENT_TYPE } from "./Problem.ts"

/** The form in which a route answers its failures. */
export interface FailureForm {
  readonly contentType: string
  /** The schema of the body in the documentation. */
  readonly schema: Schema.Top
  readonly bodyOf: (problem: Problem) => unknown
  /** Returns headers besides those that every form has. */
  readonly headersOf: (problem: Problem) => Readonly<Record<string, string>>
}

/** Problem details (RFC 9457): the form of every route that names no other one. */
export const problemDetails: FailureForm = {
  contentType: PROBLEM_CONTENT_TYPE,
  schema: Problem,
  bodyOf: (problem) => problem,
  headersOf: () => ({})
}
