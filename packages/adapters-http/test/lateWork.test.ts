import { HoldSweeper, runtimeOf } from "@parley/core/effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

let now = Date.parse("2026-03-01T12:00:00Z")
let server: TestServer
let name: { readonly userId: string; readonly key: string }
beforeAll(async () => {
  server = await startServer({
    parley: { clock: { now: () => now }, work: false }
  })
})
afterAll(() => server.close())
beforeEach(() => {
  name = { userId: crypto.randomUUID(), key: "order-7" }
})

const call = (path: string, more: object = {}) =>
  server.fetch(`/v1/credits/${path}`, {
    method: "POST",
    body: JSON.stringify({ ...name, ...more }),
    headers: { "content-type": "application/json", authorization: `Bearer ${server.serviceKey.key}` }
  })

const done = async (path: string, more?: object) => {
  const response = await call(path, more)
  const answer = (await response.json()) as Record<string, unknown>
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer
}

const pages = (quantity: number) => ({ lines: [{ label: "pages", quantity, unitPrice: 1 }] })
const available = async () => (await server.parley.credits.balance(name.userId)).available

/** Lets time pass, and a sweeper end expired holds. */
const after = async (seconds: number) => {
  now += seconds * 1_000
  await runtimeOf(server.parley).runPromise(HoldSweeper.use(({ sweep }) => sweep))
}

describe("work that outlives its hold", () => {
  test("is charged when it is settled, and by the same lines once", async () => {
    await done("reserve", { amount: 40 })
    await after(61)
    const paid = await done("settle", pages(30))
    expect(paid).toMatchObject({ state: "settled", charged: 30, transactionId: expect.any(String) })
    expect(await done("settle", pages(30))).toEqual(paid)
    await expectProblem(await call("settle", pages(31)), 422, "idempotency_conflict")
    expect(await available()).toBe(70)
  })

  test("is 409 while the balance does not cover it, which says what is missing, and charged later", async () => {
    await done("reserve", { amount: 40 })
    await after(61)
    await server.parley.credits.adjust({ userId: name.userId, amount: -75, key: "k", reason: "a test" })
    const problem = await expectProblem(await call("settle", pages(30)), 409, "work_expired")
    expect(problem).toMatchObject({ charged: 0, required: 30, available: 25 })
    expect(await available()).toBe(25)
    await server.parley.credits.grant({ userId: name.userId, amount: 5, key: "g" })
    expect(await done("settle", pages(30))).toMatchObject({ state: "settled", charged: 30 })
    expect(await available()).toBe(0)
  })

  test("costs in all what it says, if recorded lines were charged when its hold expired", async () => {
    await done("reserve", { amount: 40 })
    await done("renew", pages(10))
    await after(61)
    expect(await available()).toBe(90)
    const problem = await expectProblem(await call("reserve", { amount: 40 }), 409, "work_expired")
    expect(problem["charged"]).toBe(10)
    expect(await done("settle", pages(30))).toMatchObject({ state: "settled", charged: 30 })
    expect(await available()).toBe(70)
    const { transactions } = await server.parley.credits.history({
      userId: name.userId,
      limit: 9,
      offset: 0,
      type: "usage"
    })
    expect(transactions.map(({ amount }) => amount)).toEqual([-20, -10])
  })

  test("is held as long as it asks for, at most a day", async () => {
    const held = await done("reserve", { amount: 40, lifetimeSeconds: 86_400 })
    expect(Date.parse(String(held["expiresAt"])) - now).toBe(86_400_000)
    await after(86_399)
    expect(await done("renew", { lifetimeSeconds: 3_600 })).toEqual({ state: "open" })
    await after(3_599)
    expect(await done("settle", pages(5))).toMatchObject({ state: "settled", charged: 5 })
    for (const lifetimeSeconds of [0, 86_401, 1.5, "60"]) {
      await expectProblem(await call("reserve", { key: "k2", amount: 1, lifetimeSeconds }), 400, "invalid_request")
      await expectProblem(await call("renew", { lifetimeSeconds }), 400, "invalid_request")
    }
  })

  test("begins another attempt under its key after its hold expired uncharged, or was released", async () => {
    await done("reserve", { amount: 40 })
    await after(61)
    expect(await done("reserve", { amount: 40 })).toMatchObject({ state: "open", replayed: false, held: 40 })
    expect(await done("release")).toEqual({ state: "released", charged: 0, uncovered: 0, transactionId: null })
    expect(await done("reserve", { amount: 40 })).toMatchObject({ state: "open", replayed: false })
    expect(await done("settle", pages(5))).toMatchObject({ state: "settled", charged: 5 })
    expect(await done("reserve", { amount: 40 })).toMatchObject({ state: "settled", replayed: true })
    expect(await available()).toBe(95)
  })

  test("that was released is not charged, also if it is settled later", async () => {
    await done("reserve", { amount: 40 })
    await after(61)
    const released = { state: "released", charged: 0, uncovered: 0, transactionId: null }
    expect(await done("release")).toEqual(released)
    expect(await done("settle", pages(5))).toEqual(released)
    expect(await available()).toBe(100)
  })
})
