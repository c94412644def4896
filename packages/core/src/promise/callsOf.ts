import { type Context, Effect } from "effect"
import type { ParleyServices } from "../parleyLayer.ts"
import { expectationsOf, InvalidInput, type Parameter } from "../storage/inputs.ts"
import type { Run } from "./ParleyCalls.ts"

/** A call of a service as a promise: it resolves with the effect's value, and rejects with its failure. */
type Promised<Call> = Call extends (...given: infer Given) => Effect.Effect<infer A, unknown, unknown>
  ? (...given: Given) => Promise<A>
  : Call extends Effect.Effect<infer A, unknown, unknown>
    ? () => Promise<A>
    : never

/** A service that offers calls to applications (`inputsOf`). */
interface Offering<Calls> {
  readonly Service: unknown
  readonly inputs: Calls
}

/** The calls that a service lists in its `inputs`, as promises. */
export type CallsOf<Of extends Offering<object>> = {
  readonly [Name in keyof Of["Service"] as Name extends keyof Of["inputs"] ? Name : never]: Promised<
    Of["Service"][Name]
  >
}

/** Returns the first problem of a value; a field that is not in the schema counts only if there is no other problem. */
const problemOf = (schema: Parameter[string]) => {
  const expectations = expectationsOf(schema)
  const unknownFields = expectationsOf(schema, { onExcessProperty: "error" })
  return (given: unknown) => expectations(given)[0] ?? unknownFields(given)[0]
}

/**
 * A call that first checks its parameters: it rejects with `InvalidInput`, before any work, if a parameter does not
 * match its schema, or contains a field that is not in the schema.
 */
export const checked = <Given extends ReadonlyArray<unknown>, A>(
  parameters: ReadonlyArray<Parameter>,
  call: (...given: Given) => Promise<A>
) => {
  const decoders = parameters.map((parameter) =>
    Object.entries(parameter).map(([name, schema]) => [name, problemOf(schema)] as const)
  )
  return async (...given: Given): Promise<A> => {
    for (const [place, [[name, decode] = []]] of decoders.entries()) {
      const problem = decode?.(given[place])
      if (problem === undefined) continue
      const { expected, path } = problem
      throw new InvalidInput({ field: path.findLast((key) => typeof key === "string") ?? name ?? "", expected })
    }
    return call(...given)
  }
}

type Member = Effect.Effect<unknown> | ((...given: ReadonlyArray<unknown>) => Effect.Effect<unknown>)
type Members = Context.Key<ParleyServices, Readonly<Record<string, Member>>>

/** Runs the effect of a call; it also gets the parameters of the call. */
export type RunCall = <A, E>(effect: Effect.Effect<A, E, ParleyServices>, given: ReadonlyArray<unknown>) => Promise<A>

/** Returns the calls that a service lists, as promises that `run` makes. */
export const callsOf = <Of extends Offering<object>>(of: Of, run: Run): CallsOf<Of> =>
  callsThrough(of, (effect) => run(effect))

/** Does the same with a `run` that depends on the parameters of the call. */
export const callsThrough = <Of extends Offering<object>>(of: Of, run: RunCall): CallsOf<Of> => {
  const service = of as unknown as Members
  const calls = Object.entries<ReadonlyArray<Parameter>>({ ...of.inputs }).map(([name, parameters]) => {
    const call = (...given: ReadonlyArray<unknown>) =>
      run(
        Effect.flatMap(service, ({ [name]: member }) =>
          typeof member === "function" ? member(...given) : (member as Effect.Effect<unknown>)
        ),
        given
      )
    return [name, checked(parameters, call)]
  })
  return Object.fromEntries(calls) as CallsOf<Of>
}
