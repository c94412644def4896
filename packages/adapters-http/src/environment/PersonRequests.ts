import { acquireInScope } from "@parley/core/adapter"
import { Context, Effect, type Scope } from "effect"
import { TooManyRequests } from "../problems/errors.ts"

/** Bounds the requests that one person has under way. */
export class PersonRequests extends Context.Service<
  PersonRequests,
  {
    /** Counts a request until the scope closes; fails if the person has too many. */
    readonly enter: (person: string) => Effect.Effect<void, TooManyRequests, Scope.Scope>
  }
>()("@parley/adapters-http/environment/PersonRequests") {}

export const makePersonRequests = (limit: number): PersonRequests["Service"] => {
  const underWay = new Map<string, number>()
  const leave = (person: string) => {
    const left = (underWay.get(person) ?? 1) - 1
    if (left === 0) underWay.delete(person)
    else underWay.set(person, left)
  }
  return {
    enter: (person) =>
      Effect.suspend((): Effect.Effect<void, TooManyRequests, Scope.Scope> => {
        const before = underWay.get(person) ?? 0
        if (before >= limit) return Effect.fail(new TooManyRequests({ limit }))
        underWay.set(person, before + 1)
        return acquireInScope(Effect.void, () => Effect.sync(() => leave(person)))
      }).pipe(Effect.uninterruptible)
  }
}
