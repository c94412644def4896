import { describe, expect, it } from "vitest"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { eventually, ParleyProcess, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { startServer } from "./processes/RunningServer.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

describe.skipIf(url === "")("a worker that is killed", () => {
  it("is missed by /readyz and doctor within 60 seconds, and a new one is seen", async () => {
    const schema = `dead_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    using folder = temporaryFolder()
    const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
    await using server = await startServer(folder.path, environment, ["--no-work"])
    const workersAre = (status: string) =>
      eventually(`workers: ${status}`, async () => {
        const response = await fetch(`${server.url}/readyz`)
        const { checks } = (await response.json()) as { checks: ReadonlyArray<{ name: string; status: string }> }
        return (
          (response.status === 200 && checks.find(({ name }) => name === "workers")?.status === status) || undefined
        )
      })
    const work = () => new ParleyProcess(["work"], folder.path, environment)
    const first = work()
    await workersAre("ok")
    first.child.kill("SIGKILL")
    const killedAt = performance.now()
    await workersAre("failed")
    expect(performance.now() - killedAt).toBeLessThan(60_000)
    const doctor = await runParley(["doctor"], folder.path, environment)
    expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringMatching(/^FAILED +workers +.*last sign/m)])
    await using second = work()
    await workersAre("ok")
    expect((await runParley(["doctor"], folder.path, environment)).exit).toBe(0)
    second.child.kill("SIGTERM")
    await second.ended
    await workersAre("failed")
    const drop = DatabaseOwner.use(({ asOwner }) =>
      asOwner((sql) => sql.script(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${schema}_boss CASCADE`))
    )
    await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
  })
})
