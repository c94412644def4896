import { it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { CrmRelease, crmRevoking } from "../../src/crm/CrmRelease.ts"
import { CrmService } from "../../src/crm/CrmService.ts"
import { RevokeCrmAccess } from "../../src/crm/revocationJob.ts"
import { JobQueue } from "../../src/jobs/JobQueue.ts"
import { JobWorker } from "../../src/jobs/JobWorker.ts"
import { UnitOfWork } from "../../src/storage/UnitOfWork.ts"
import { connected, crmWorld, newBotOf } from "./crmWorld.ts"

const worldOf = (...options: Parameters<typeof crmWorld>) => {
  const world = crmWorld(...options)
  return { ...world, layer: Layer.provideMerge(JobWorker.layerOf([crmRevoking]), world.layer) }
}

const queued = JobQueue.use((jobs) => jobs.list(undefined, { kind: RevokeCrmAccess.tag, limit: 10 })).pipe(
  Effect.map(({ jobs }) => jobs)
)
const working = JobWorker.use(({ work }) => Effect.forkChild(Effect.scoped(Effect.andThen(work, Effect.never))))
/** Lets concurrent work finish. */
const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
const until = (isSo: () => boolean | Effect.Effect<boolean, unknown, JobQueue>) =>
  Effect.gen(function* () {
    for (let looks = 0; looks < 1_000; looks++) {
      const answer = isSo()
      if (typeof answer === "boolean" ? answer : yield* answer) return
      yield* settled
    }
    throw new Error("it never was so")
  })
const nothingQueued = () => Effect.map(queued, (jobs) => jobs.length === 0)

it.effect(
  "a process that dies between removing a connection and telling the provider leaves a job that tells it",
  () => {
    const { layer, provider_one: one } = worldOf()
    return Effect.gen(function* () {
      const bot = yield* newBotOf()
      yield* connected(bot, one)
      const release = yield* CrmRelease
      // The process dies before the next step.
      yield* UnitOfWork.use((unit) => unit.run(bot.owner, release.remove(bot)))
      expect(one.liveGrants()).toBe(1)
      const [job] = yield* queued
      expect(JSON.stringify(job)).not.toMatch(new RegExp(`${bot.owner}|${bot.botId}|access-|refresh-`))
      yield* working
      yield* until(() => one.liveGrants() === 0)
      yield* until(nothingQueued)
      expect(one.calls).toEqual(["exchange", "revoke"])
    }).pipe(Effect.provide(layer))
  }
)

it.effect("what is rolled back is neither removed nor taken back", () => {
  const { layer, provider_one: one } = worldOf()
  return Effect.gen(function* () {
    const bot = yield* newBotOf()
    yield* connected(bot, one)
    const release = yield* CrmRelease
    const refused = UnitOfWork.use((unit) =>
      unit.run(bot.owner, Effect.andThen(release.remove(bot), Effect.fail("refused" as const)))
    )
    expect(yield* Effect.flip(refused)).toBe("refused")
    expect(yield* queued).toEqual([])
    expect(one.liveGrants()).toBe(1)
  }).pipe(Effect.provide(layer))
})

it.effect(
  "a revocation that the provider did not answer is sent again, and the tokens are stored until it confirmed and no longer",
  () => {
    const { layer, provider_one: one } = worldOf()
    return Effect.gen(function* () {
      const bot = yield* newBotOf()
      yield* connected(bot, one)
      one.failNext("unavailable")
      expect(yield* CrmService.use((crm) => crm.disconnect(bot.owner, bot.botId, "provider_one"))).toEqual({
        revocation: "pending"
      })
      expect(yield* queued).toHaveLength(1)
      one.failNext("unavailable")
      yield* working
      yield* until(() => one.calls.length === 3)
      yield* until(() => Effect.map(queued, ([job]) => job?.state === "waiting"))
      expect(one.liveGrants()).toBe(1)
      yield* until(() => Effect.andThen(TestClock.adjust("5 seconds"), nothingQueued()))
      expect(one.liveGrants()).toBe(0)
      expect(one.calls).toEqual(["exchange", "revoke", "revoke", "revoke"])
    }).pipe(Effect.provide(layer))
  }
)

it.effect("a provider that never answers is called for about a day, and then the tokens are deleted", () => {
  const { layer, provider_one: one } = worldOf({ during: (call) => (call === "revoke" ? Effect.never : Effect.void) })
  return Effect.gen(function* () {
    const bot = yield* newBotOf()
    yield* connected(bot, one)
    const release = yield* CrmRelease
    yield* UnitOfWork.use((unit) => unit.run(bot.owner, release.remove(bot)))
    yield* working
    for (let steps = 0; steps < 20_000; steps++) {
      const [job] = yield* queued
      if (job === undefined) break
      // Decrypting takes no time by this clock: a try that has begun is waited for until it asks.
      const isAsking = job.state !== "running" || one.calls.length === 1 + job.tries
      if (isAsking) yield* TestClock.adjust("20 seconds")
      yield* settled
    }
    expect(yield* queued).toEqual([])
    expect(yield* Clock.currentTimeMillis).toBeGreaterThan(20 * 3_600_000)
    expect(one.calls).toHaveLength(1 + RevokeCrmAccess.tries)
  }).pipe(Effect.provide(layer))
})

it.effect("a worker that finds the job while its process tells the provider leaves it to that", () => {
  let told: Effect.Effect<void> = Effect.void
  const { layer, provider_one: one } = worldOf({
    during: (call) => (call === "revoke" ? Effect.suspend(() => told) : Effect.void)
  })
  return Effect.gen(function* () {
    const bot = yield* newBotOf()
    yield* connected(bot, one)
    yield* working
    told = until(() => Effect.map(queued, ([job]) => job?.state === "running")).pipe(
      Effect.provideContext(yield* Effect.context<JobQueue>()),
      Effect.orDie
    )
    expect(yield* CrmService.use((crm) => crm.disconnect(bot.owner, bot.botId, "provider_one"))).toEqual({
      revocation: "revoked"
    })
    yield* until(nothingQueued)
    expect(one.calls).toEqual(["exchange", "revoke"])
  }).pipe(Effect.provide(layer))
})

it.effect("connecting again revokes the earlier access if that ends nothing of the present one", () => {
  const { layer, provider_one: one, provider_two: two } = worldOf({ revokesApprovalAlone: true }, { accounts: true })
  return Effect.gen(function* () {
    const bot = yield* newBotOf()
    // A provider that distinguishes the approvals of one account.
    yield* connected(bot, one)
    yield* connected(bot, one)
    expect(one.liveGrants()).toBe(1)
    // A provider that may not: only access to another account is revoked.
    yield* connected(bot, two)
    yield* connected(bot, two)
    expect(two.liveGrants()).toBe(1)
    expect(yield* queued).toEqual([])
  }).pipe(Effect.provide(layer))
})

it.effect("connecting the same account again revokes nothing at a provider that may count its approvals as one", () => {
  const { layer, provider_two: two } = worldOf()
  return Effect.gen(function* () {
    const bot = yield* newBotOf()
    yield* connected(bot, two)
    yield* connected(bot, two)
    expect(two.calls).toEqual(["exchange", "exchange"])
  }).pipe(Effect.provide(layer))
})

it.effect("tokens that are kept nowhere are queued as well", () => {
  const { layer, provider_one: one } = worldOf()
  return Effect.gen(function* () {
    const release = yield* CrmRelease
    one.failNext("unavailable")
    const tokens = { accessToken: Redacted.make("access-of-nobody") }
    expect(yield* release.revoke("provider_one", tokens)).toBe("pending")
    expect(yield* queued).toHaveLength(1)
    expect(yield* release.revoke("provider_one", tokens)).toBe("revoked")
    expect(yield* queued).toHaveLength(1)
  }).pipe(Effect.provide(layer))
})
