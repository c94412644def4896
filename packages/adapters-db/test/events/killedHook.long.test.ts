import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { createParley } from "@parley/core"
import { Effect } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import { openDatabase } from "../../src/openDatabase.ts"
import { migratedPostgres } from "../databases.ts"

const program = fileURLToPath(new URL("../fixtures/chargeAndHang.ts", import.meta.url))

/** Charges in a process that is killed within its hook; returns the id that the hook received. */
const killedWithin = async (url: string): Promise<string> => {
  const process = spawn(globalThis.process.execPath, ["--conditions=@parley/source", program, url], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [said] = (await once(process.stdout, "data")) as [Buffer]
  process.kill("SIGKILL")
  await once(process, "exit")
  return said.toString().trim()
}

it("an event whose process was killed in its hook is delivered by another process, under the same id", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(migratedPostgres, (url) =>
        Effect.promise(async () => {
          const killed = await killedWithin(url)
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          // A minute later: the claim of the dead process has ended.
          await client.query("UPDATE parley.event_deliveries SET due_at = now()")
          await client.end()
          const told = Promise.withResolvers<string>()
          const database = await openDatabase({ url })
          const hooks = { onCharge: ({ id }: { readonly id: string }) => told.resolve(id) }
          const parley = await createParley({ ...database, work: ["events"], hooks })
          try {
            expect(await told.promise).toBe(killed)
          } finally {
            await parley.close()
            await database.close()
          }
        })
      )
    )
  ))
