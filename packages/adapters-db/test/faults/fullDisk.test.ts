import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openDatabase } from "../../src/openDatabase.ts"
import { SmallDisk } from "./SmallDisk.ts"

it.runIf(SmallDisk.canBeMade)(
  "an embedded database whose disk is full is not ready, until there is room again",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "parley-full-"))
    using disk = new SmallDisk(join(root, "disk"), 200, root)
    const database = await openDatabase({ dataDir: join(disk.path, "database") })
    try {
      await database.checkReadiness()
      disk.fill()
      await expect(database.checkReadiness()).rejects.toMatchObject({ problem: "full" })
      disk.clear()
      await database.checkReadiness()
    } finally {
      await database.close()
      rmSync(join(root, "disk", "database"), { recursive: true, force: true })
    }
  }
)
