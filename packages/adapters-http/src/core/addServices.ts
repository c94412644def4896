import { Context } from "effect"

/**
 * Returns a function that adds `services` to a context. It caches the last result: all requests begin with the one
 * context of their runtime, and copying it for each would cost more than finding their route.
 */
export const addServices = <S>(
  services: Context.Context<S>
): (<R>(to: Context.Context<R>) => Context.Context<R | S>) => {
  let known: Context.Context<never> | undefined
  let sum: Context.Context<S> | undefined
  return <R>(to: Context.Context<R>) => {
    if (sum === undefined || to !== known) {
      known = to as Context.Context<never>
      sum = Context.merge(to, services)
    }
    return sum as Context.Context<R | S>
  }
}
