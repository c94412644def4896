import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shop, shopConfig } from "./payments/Shop.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"

describe("what was paid while no server was there", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await Shop.open()
    shop.provider.deliveries.hold = true
    await shop.buy(ANN, "price_pro", "subscription")
    await shop.buy(ANN, "price_credits", "one-time")
  })
  afterAll(() => shop.close())

  const folderOf = (more: Readonly<Record<string, string>> = {}) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder.path, "catalog.json"), JSON.stringify(shopConfig))
    const environment = { PARLEY_CONFIG: "catalog.json", ...shop.environment, ...more }
    const parley = async (...argv: ReadonlyArray<string>) => {
      const { stdout } = await runHere([...argv, "--json"], folder.path, environment)
      return stdout === "" ? undefined : (JSON.parse(stdout) as Record<string, unknown>)
    }
    return { ...folder, environment, parley, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  it("is given once a server starts, by itself", async () => {
    using folder = folderOf()
    await using _server = await serveHere(folder.path, folder.environment)
    await expect
      .poll(() => folder.parley("credits", "balance", ANN), { timeout: 20_000 })
      .toMatchObject({ allowance: 1_000, topup: 700 })
    expect(await folder.parley("billing", "catch-up", "--dry-run")).toMatchObject({ missing: 0 })
    const doctor = (await folder.parley("doctor")) as { checks: ReadonlyArray<{ name: string; detail: string }> }
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({ name: "missed payments", status: "ok", detail: expect.stringContaining("every hour") })
    )
  })

  it("waits for the command if PARLEY_CATCH_UP is off, which doctor reports", async () => {
    using folder = folderOf({ PARLEY_CATCH_UP: "off" })
    await using _server = await serveHere(folder.path, folder.environment)
    const missing = (await folder.parley("billing", "catch-up", "--dry-run"))?.["missing"]
    expect(missing).toBeGreaterThan(2)
    const doctor = (await folder.parley("doctor")) as { checks: ReadonlyArray<{ name: string; status: string }> }
    expect(doctor.checks).toContainEqual(expect.objectContaining({ name: "missed payments", status: "note" }))
  })
})
