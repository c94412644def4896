import { ModelFailed, StorageFailed } from "@parley/core/adapter"
import { inMemoryStorageLayer, SecurityEvents } from "@parley/core/effect"
import { Cause, Effect, Layer, Logger } from "effect"
import { describe, expect, test } from "vitest"
import { type Route, routes } from "../src/index.ts"
import { logFailure } from "../src/core/logFailure.ts"

const SECRET = "sk-secret-prompt"

const coded = (code: unknown) => Object.assign(new Error(SECRET), { code })
const wrapped = (cause: unknown) => new Error(SECRET, { cause })
const modelFailed = (cause: unknown) => new ModelFailed({ model: "m", reason: "unavailable", retryable: true, cause })

/** Everything that a failure writes to the log, as text. */
const logged = async (cause: Cause.Cause<unknown>) => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
  const failed = { route: routes[0] as Route, userId: undefined, began: performance.now() }
  const work = logFailure(cause, failed).pipe(
    Effect.provide(Layer.provide(SecurityEvents.layer, inMemoryStorageLayer)),
    Effect.annotateLogs({ requestId: "request-1" }),
    Effect.provide(Logger.layer([logger]))
  )
  await Effect.runPromise(work)
  return lines.join("\n")
}

describe("the log of a failed request", () => {
  test("a defect is found by the request's id and its place in the code, without what it says", async () => {
    const text = await logged(Cause.die(new TypeError(`cannot read ${SECRET}\nof ${SECRET}`)))
    expect(text).toContain("request-1")
    expect(text).toContain("GET /api/chat")
    expect(text).toContain("TypeError")
    expect(text).toContain("logFailure.test.ts")
    expect(text).not.toContain(SECRET)
  })

  test("a storage failure names the operation, not what the driver said", async () => {
    const cause = new Error(`insert into chats values ('${SECRET}')`)
    const text = await logged(Cause.fail(new StorageFailed({ operation: "ChatStore.list", retryable: true, cause })))
    expect(text).toContain("ChatStore.list")
    expect(text).not.toContain(SECRET)
  })

  test.each([
    ["EMFILE", new StorageFailed({ operation: "x", retryable: true, cause: wrapped(coded("EMFILE")) })],
    ["ECONNREFUSED", new StorageFailed({ operation: "x", retryable: true, cause: wrapped(coded("ECONNREFUSED")) })],
    ["ENOTFOUND", modelFailed(wrapped(wrapped(coded("ENOTFOUND"))))],
    ["ETIMEDOUT", modelFailed(wrapped(new AggregateError([coded("ETIMEDOUT"), coded("ENETUNREACH")])))]
  ])("a failure names its cause where the system told one: %s", async (code, failure) => {
    const text = await logged(Cause.fail(failure))
    expect(text).toContain(`"cause":"${code}"`)
    expect(text).not.toContain(SECRET)
  })

  test("a code that is none of the system's is not taken for a cause", async () => {
    for (const code of [SECRET, `A_${"X".repeat(100)}`, "insufficient_quota", 7]) {
      expect(await logged(Cause.fail(modelFailed(coded(code))))).not.toContain('"cause"')
    }
  })

  test("a storage failure names Postgres' code and the constraint, if they are valid names", async () => {
    const failed = (cause: unknown) =>
      logged(Cause.fail(new StorageFailed({ operation: "x", retryable: false, cause })))
    const text = await failed(
      Object.assign(new Error(SECRET), { sqlState: "23514", constraint: "credit_accounts_total" })
    )
    expect(text).toContain('"sqlState":"23514"')
    expect(text).toContain('"constraint":"credit_accounts_total"')
    expect(text).not.toContain(SECRET)
    expect(await failed({ sqlState: SECRET, constraint: `a ${SECRET}` })).not.toContain(SECRET)
  })

  test("what the client did wrong, or a client that left, is not logged", async () => {
    expect(await logged(Cause.interrupt())).toBe("")
    expect(await logged(Cause.fail({ code: "invalid_request", message: SECRET }))).toBe("")
  })
})
