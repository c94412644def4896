import { Effect, type Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, it } from "vitest"
import { type BillingStorage, billingUnderTest, checkStory, storyPlans } from "./billingHistory.ts"

export interface BillingModelOptions {
  /** The number of random stories. */
  readonly stories: number
  /** The maximum number of acts of a story. */
  readonly acts?: number
  /**
   * The seed of an earlier run, to play its stories again: a run that fails prints its seed, and the path to the story.
   */
  readonly seed?: number | undefined
  readonly path?: string | undefined
  /** True: each story has stores of its own; otherwise all stories share one storage. */
  readonly apart?: boolean
}

/**
 * Generates random stories of subscriptions, purchases, refunds and disputes. Delivers their events late, twice, in
 * other orders and broken off, with the monthly job between them, and compares each account with the story. If all
 * credits are spent after each step, no more may be granted than was paid for.
 */
export const billingModelTest = (
  name: string,
  storage: Layer.Layer<BillingStorage, unknown>,
  { acts = 9, apart = false, path, seed, stories }: BillingModelOptions
): void => {
  describe(`billing against its stories: ${name}`, () => {
    const layer = billingUnderTest(storage)
    const shared = ManagedRuntime.make(layer)
    afterAll(() => shared.dispose())

    it(
      `${stories} stories end with the expected accounts, however their events are delivered`,
      { timeout: 3_600_000 },
      () =>
        fc.assert(
          fc.asyncProperty(storyPlans(acts), (plan) =>
            apart
              ? Effect.runPromise(Effect.provide(checkStory(plan), layer, { local: true }))
              : shared.runPromise(checkStory(plan))
          ),
          { numRuns: stories, ...(seed === undefined ? {} : { seed }), ...(path === undefined ? {} : { path }) }
        )
    )
  })
}
