import { createParley, openInMemory } from "@parley/core"
import { expect, it } from "vitest"

const open = async () => createParley({ ...(await openInMemory()), work: false })

it("operators import, read, export and erase people by promises", async () => {
  const parley = await open()
  const people = [
    { user: "ann", tier: "pro", allowance: 30, topup: 12, stripeCustomer: "cus_1" },
    '{"user":"ben","topup":4}',
    { user: "cleo", tier: "gold" }
  ]
  expect(await parley.users.import(people, { dryRun: true })).toMatchObject({ created: 2, dryRun: true })
  expect(await parley.users.import(people)).toMatchObject({
    created: 2,
    updated: 0,
    unchanged: 0,
    refused: [{ line: 3, user: "cleo" }]
  })
  expect(await parley.users.import(people)).toMatchObject({ created: 0, unchanged: 2 })
  expect(await parley.credits.balance("ann")).toMatchObject({ allowance: 30, topup: 12 })
  expect(await parley.reports.person("ann")).toMatchObject({ account: { tier: { tier: "pro" } } })
  expect(await parley.credits.verify()).toEqual({ accounts: 2, differences: [] })

  const lines = await Array.fromAsync(await parley.users.export("ann", { by: "olga", reason: "asked for it" }))
  expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["account", "transaction", "end"]))
  const nobody = await parley.users.export("nobody")
  await expect(Array.fromAsync(nobody)).rejects.toMatchObject({ code: "user_not_found" })

  expect(await parley.users.find("ann")).toMatchObject({ transactions: 2 })
  const { pseudonym } = await parley.users.erase("ben", { by: "olga" })
  expect(pseudonym).toMatch(/^erased:/)
  await expect(parley.users.find("ben")).rejects.toMatchObject({ code: "user_not_found" })

  const entries = await parley.reports.audit({ limit: 10 })
  expect(entries.map(({ action, by }) => `${action} by ${by}`)).toEqual([
    "users delete by olga",
    "users export by olga",
    "users import by an application"
  ])
  await parley.close()
})

it("a grant with a reason is entered in the audit log once, and not if it is refused", async () => {
  const parley = await open()
  const gift = { userId: "ann", amount: 5, key: "gift", reason: "an apology" }
  await parley.credits.grant(gift)
  await parley.credits.grant(gift)
  await expect(parley.credits.grant({ ...gift, amount: 6 })).rejects.toMatchObject({ code: "idempotency_conflict" })
  await parley.credits.grant({ userId: "ann", amount: 1, key: "without a reason" })
  expect(await parley.reports.audit({ userId: "ann", limit: 10 })).toMatchObject([
    { action: "credits grant", reason: "an apology", details: "5 credits under the key gift" }
  ])
  await parley.close()
})

it("operators read events, jobs, conversations and the usage of days", async () => {
  const parley = await open()
  expect(await parley.events.list({ state: "dead" })).toEqual([])
  expect(await parley.events.destinations()).toEqual([])
  expect(await parley.events.retry({}, { by: "olga" })).toBe(0)
  expect(await parley.jobs.list({ state: "failed" })).toEqual({ jobs: [], next: undefined })
  const strange = { code: "invalid_input", message: "after: expected `next` of the page before." }
  await expect(parley.jobs.list({ after: "the last one" })).rejects.toMatchObject(strange)
  await expect(parley.users.list({ after: "ann" })).rejects.toMatchObject(strange)
  await expect(parley.reports.payments({ limit: 5, before: "evt_1" })).rejects.toMatchObject({
    ...strange,
    message: "before: expected `next` of the page before."
  })
  await expect(parley.jobs.retry("ann", "no-job")).rejects.toMatchObject({ code: "job_not_found" })
  const bot = await parley.bots.create("ann", { displayName: "Help" })
  expect(await parley.conversations.find("ann", bot.id, { limit: 10 })).toEqual({ conversations: [], next: undefined })
  await expect(parley.conversations.get("ann", bot.id, "none")).rejects.toMatchObject({
    code: "conversation_not_found"
  })
  expect(await parley.reports.days(7)).toMatchObject({ charges: [], revenue: [] })
  expect(await parley.reports.payments({ limit: 5 })).toEqual({ events: [], next: undefined })
  expect(await parley.reports.health()).toMatchObject({ jobs: { failed: 0 } })
  const today = new Date().toISOString().slice(0, 10)
  expect(await parley.credits.usage({ userId: "ann", from: today, to: today })).toEqual([])
  await parley.close()
})
