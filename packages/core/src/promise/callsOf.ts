import { Effect, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import type { Context } from "effect"
import type { ParleyServices } from "../parleyLayer.ts"
import { InvalidInput, type Parameter } from "../storage/inputs.ts"

/** Runs an effect over the services of one Parley as a promise. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E, ParleyServices>,
  options?: { readonly signal?: AbortSignal | undefined }
) => Promise<A>

/** A call of a service as a promise: it resolves with what the effect succeeds with, and rejects with its failure. */
type Promised<Call> = Call extends (...given: infer Given) => Effect.Effect<infer A, unknown, unknown>
  ? (...given: Given) => Promise<A>
  : Call extends Effect.Effect<infer A, unknown, unknown>
    ? () => Promise<A>
    : never

/** A service that names calls for applications (`inputsOf`). */
interface Offering<Calls> {
  readonly Service: unknown
  readonly inputs: Calls
}

/** The calls that a service names in its `inputs`, as promises. */
export type CallsOf<Of extends Offering<object>> = {
  readonly [Name in keyof Of["Service"] as Name extends keyof Of["inputs"] ? Name : never]: Promised<
    Of["Service"][Name]
  >
}

/** A value of another type is refused in the words of its schema, if it has some. */
const leafHook: SchemaIssue.LeafHook = (issue) => {
  const expected = issue._tag === "InvalidType" ? SchemaAST.resolve(issue.ast)?.["expected"] : undefined
  return typeof expected === "string" ? `Expected ${expected}` : SchemaIssue.defaultLeafHook(issue)
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook })

const valueAt = (given: unknown, path: ReadonlyArray<unknown>): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<PropertyKey, unknown>>)[key as PropertyKey], given)

/** The failure of a value. If it may have several forms, the one that was meant is the one that has its fields. */
const problemOf = (parameter: string, given: unknown, issue: SchemaIssue.Issue): InvalidInput => {
  const { issues } = issuesOf(issue)
  const { message, path = [] } = issues.find((each) => valueAt(given, each.path ?? []) !== undefined) ??
    issues[0] ?? { message: "" }
  const field = path.findLast((key) => typeof key === "string") ?? parameter
  const expected = message === "Missing key" ? "a value" : message.replace(/^Expected /, "")
  return new InvalidInput({ field, expected })
}

/** A call that rejects with `InvalidInput` before anything else if a parameter is not as its schema says. */
export const checked = <Given extends ReadonlyArray<unknown>, A>(
  parameters: ReadonlyArray<Parameter>,
  call: (...given: Given) => Promise<A>
) => {
  const decoders = parameters.map((parameter) =>
    Object.entries(parameter).map(([name, schema]) => [name, Schema.decodeUnknownResult(schema)] as const)
  )
  return async (...given: Given): Promise<A> => {
    for (const [place, [[name, decode] = []]] of decoders.entries()) {
      const decoded = decode?.(given[place])
      if (decoded !== undefined && Result.isFailure(decoded)) {
        throw problemOf(name ?? "", given[place], decoded.failure.issue)
      }
    }
    return call(...given)
  }
}

type Member = Effect.Effect<unknown> | ((...given: ReadonlyArray<unknown>) => Effect.Effect<unknown>)
type Members = Context.Key<ParleyServices, Readonly<Record<string, Member>>>

/** The calls that a service names, as promises that `run` makes. */
export const callsOf = <Of extends Offering<object>>(of: Of, run: Run): CallsOf<Of> => {
  const service = of as unknown as Members
  const calls = Object.entries<ReadonlyArray<Parameter>>({ ...of.inputs }).map(([name, parameters]) => {
    const call = (...given: ReadonlyArray<unknown>) =>
      run(
        Effect.flatMap(service, ({ [name]: member }) =>
          typeof member === "function" ? member(...given) : (member as Effect.Effect<unknown>)
        )
      )
    return [name, checked(parameters, call)]
  })
  return Object.fromEntries(calls) as CallsOf<Of>
}
