import { setTimeout as sleep } from "node:timers/promises"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually, runParley, temporaryFolder } from "../processes/ParleyProcess.ts"
import { startServer, Visitor } from "../processes/RunningServer.ts"
import { Chance } from "./Chance.ts"
import { ChatLoad, type ChatRecord } from "./chatLoad.ts"
import { catalog } from "./CrashRig.ts"
import { firstSeed } from "./seeds.ts"

const ROUNDS = 12
const LONGEST_MS = 3_000

const environment = { PARLEY_CONFIG: "catalog.json", PARLEY_HOLD_TTL: "2" }

interface UsageRow {
  readonly amount: number
  readonly reference: string
  readonly receipt: { readonly charged: number; readonly ended: string; readonly usage: { readonly output: number } }
}

/**
 * Checks the charges that a person sees: one per reply; a complete reply in full, another one by its recorded output,
 * or none.
 */
const judgePerson = async (url: string, userId: string, records: ReadonlyArray<ChatRecord>): Promise<void> => {
  const visitor = new Visitor(url)
  await visitor.signIn(userId)
  const held = async () => (await visitor.getJson<{ held: number }>("/api/billing/balance")).held
  await eventually("the holds to be swept", async () => ((await held()) === 0 ? true : undefined))
  const { transactions, total } = await visitor.getJson<{ transactions: ReadonlyArray<UsageRow>; total: number }>(
    "/api/billing/credit-history?type=usage&limit=200"
  )
  const charges = new Map(transactions.map((row) => [row.reference, row]))
  expect(charges.size).toBe(transactions.length)
  const given = records.filter(({ messageId }) => messageId !== undefined)
  expect(total).toBeLessThanOrEqual(new Set(given.map(({ messageId }) => messageId)).size)
  if (total > transactions.length) return
  for (const { asked, end, messageId } of given) {
    const charge = charges.get(`reply:${messageId}`)
    if (end !== "complete") continue
    expect(charge?.receipt).toMatchObject({ ended: "completed", usage: { output: asked.tokens } })
  }
}

describe("a server on the embedded database that is killed under load", () => {
  it(
    `${ROUNDS} times over, opens its folder again, and what was delivered is charged once`,
    { timeout: 600_000 },
    async () => {
      using folder = temporaryFolder()
      writeFileSync(join(folder.path, "catalog.json"), JSON.stringify(catalog))
      const seed = firstSeed()
      let server = await startServer(folder.path, environment)
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          const chance = new Chance(seed + round)
          const load = new ChatLoad(server.url, String(seed + round))
          const people = await load.signInAll()
          const running = load.run(people, chance, LONGEST_MS)
          await sleep(chance.between(20, LONGEST_MS))
          server.process.child.kill("SIGKILL")
          load.stop()
          await server.process.ended
          await running
          server = await startServer(folder.path, environment)
          for (const { userId } of Object.values(people)) {
            const records = load.records.filter((record) => record.userId === userId)
            await judgePerson(server.url, userId, records)
          }
          const verified = await runParley(["credits", "verify"], folder.path, environment)
          expect(verified, `round ${round}, PARLEY_TEST_SEED=${seed + round}`).toMatchObject({ exit: 0 })
        }
      } finally {
        await server[Symbol.asyncDispose]()
      }
    }
  )
})
