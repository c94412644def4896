import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { CrashRig, catalog, hasPostgres } from "../crash/CrashRig.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { expansion, fileIn, newerProgram, oldestCompatible, olderProgram } from "../upgrade/releases.ts"
import { Fleet } from "./Fleet.ts"
import { judgeReplies } from "./judgeReplies.ts"
import { NginxProxy } from "./NginxProxy.ts"
import { SlowVendor } from "./SlowVendor.ts"
import { SteadyReaders } from "./SteadyReaders.ts"

const PER_SECOND = 20
/** A reply takes 30 seconds. */
const PIECES = 31
const INTERVAL_MS = 1_000
/** So that many replies run when the first server is asked to stop. */
const BEFORE_MS = 10_000

/** Earlier programs reset a connection at their stop if they were too busy to read its request within half a second. */
const readsBeforeItCloses = async (commit: string) =>
  (await fileIn(commit, "packages/adapters-http/src/node/createHttpServer.ts")).includes("destroySilent")

interface Scene {
  readonly fleet: Fleet
  readonly readers: SteadyReaders
}

/** Runs `act` while readers behind nginx ask three servers, and judges every reply. */
const underLoad = async (main: string | undefined, act: (scene: Scene) => Promise<void>): Promise<string> => {
  await using vendor = await SlowVendor.start({ pieces: PIECES, intervalMs: INTERVAL_MS })
  const settings = { OPENAI_API_KEY: "any", OPENAI_BASE_URL: vendor.url, PARLEY_HOLD_TTL: "60" }
  await using rig = new CrashRig(catalog, settings)
  await using fleet = await Fleet.start(rig, { PARLEY_SHUTDOWN_DELAY: "5" }, { main })
  await using proxy = await NginxProxy.start({ folder: rig.folder, servers: fleet.ports })
  const readers = new SteadyReaders({ url: proxy.url, ca: proxy.ca, perSecond: PER_SECOND })
  try {
    await sleep(BEFORE_MS)
    await act({ fleet, readers })
  } finally {
    await readers.end()
  }
  for (const ended of await Promise.all(fleet.leaving)) expect(ended).toMatchObject({ exit: 0, signal: null })
  await judgeReplies(rig, readers.asked, PIECES).catch((cause: unknown) => {
    throw new Error(`The proxy says: ${proxy.said}`, { cause })
  })
  return `${readers.asked.length} replies of ${((PIECES - 1) * INTERVAL_MS) / 1_000} s, ${fleet.leaving.length} servers stopped`
}

describe.runIf(hasPostgres)("three servers behind nginx with the example of deploy/nginx", () => {
  const timeout = 300_000

  it(
    "are restarted one after another without a failed request or a cut reply, and store what they answered",
    { timeout },
    async ({ annotate }) => {
      await annotate(await underLoad(undefined, ({ fleet }) => fleet.roll()))
    }
  )

  it(
    "are upgraded to a release with a newer schema, and rolled back, without a failed request or a cut reply",
    { timeout },
    async ({ annotate }) => {
      using trees = temporaryFolder()
      const commit = await oldestCompatible(readsBeforeItCloses)
      const older = commit === undefined ? undefined : await olderProgram(commit, join(trees.path, "older"))
      const newer = newerProgram([await expansion()], join(trees.path, "newer"))
      await annotate(`The older servers are of ${commit ?? "this commit: no older one runs on its schema"}.`)
      const done = await underLoad(older, async ({ fleet }) => {
        await fleet.roll({ main: newer })
        await fleet.roll({ main: older })
      })
      await annotate(done)
    }
  )
})
