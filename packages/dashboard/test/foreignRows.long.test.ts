/**
 * The suites of the default server, with only the row-level policies between one person and another: on a database
 * whose statements and functions have no condition on the owner, through a pooler in transaction mode, beside a person
 * who must not be read or changed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../../adapters-db/test/databases.ts"
import { withoutConditions } from "../../adapters-db/test/ownerConditions/removeConditions.ts"
import { MARK, REPORT, type ServerReport } from "../../adapters-db/test/ownerConditions/serverWithout.ts"
import { newRemoval } from "../../adapters-db/test/ownerConditions/statementsWithout.ts"
import { hasPooler } from "../../adapters-db/test/pooler.ts"
import { Bystander } from "../../cli/test/access/Bystander.ts"
import { everyChatState } from "./looks/everyChatState.ts"
import { everyPage } from "./looks/everyPage.ts"
import { filledPages } from "./looks/filledPages.ts"
import { LIGHT } from "./looks/Look.ts"
import { chat } from "./suites/chat.ts"
import { sources } from "./suites/sources.ts"
import { keyboard } from "./suites/keyboard.ts"
import { hostileChat } from "./suites/hostileReplies.ts"
import { documents } from "./suites/documents.ts"
import { bots } from "./suites/bots.ts"
import { usage } from "./suites/usage.ts"
import { visitorFiles } from "./suites/visitorFiles.ts"
import { longChat } from "./suites/longChat.ts"
import { describeInChromium } from "./support/describeInChromium.ts"
import { type RunningServer, startServer } from "./support/runningServer.ts"
import { closeSessions, useAsWorkerServer } from "./support/workerStage.ts"

const PRELOAD = fileURLToPath(new URL("../../adapters-db/test/ownerConditions/serverWithout.ts", import.meta.url))

describe.runIf(hasPostgres && hasPooler)("without conditions on the owner", () => {
  const removal = newRemoval()
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(join(tmpdir(), "parley-foreign-rows-"))
  const file = join(folder, "report.json")
  let server: RunningServer
  let bystander: Bystander
  let before: ReadonlyArray<string>
  let restore = () => {}

  beforeAll(async () => {
    const { direct, url } = await Effect.runPromise(Scope.provide(withoutConditions(removal), scope))
    bystander = await Bystander.begin(direct)
    before = await bystander.everything()
    server = await startServer(
      {},
      {
        DATABASE_URL: url,
        DATABASE_DIRECT_URL: direct,
        NODE_OPTIONS: `--import ${PRELOAD}`,
        [REPORT]: file,
        [MARK]: bystander.mark
      }
    )
    restore = useAsWorkerServer(server)
  })
  afterAll(async () => {
    restore()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  describeInChromium("a person with documents", {}, chat)
  describeInChromium("the sources of a reply", {}, sources)
  describeInChromium("a chat", {}, keyboard)
  describeInChromium("a chat full of hostile replies", {}, hostileChat)
  describeInChromium("documents", {}, documents)
  describeInChromium("bots", {}, bots)
  describeInChromium("usage", {}, usage)
  describeInChromium("files of a bot's visitors", {}, visitorFiles)
  everyChatState([LIGHT])
  everyPage([LIGHT])
  filledPages([LIGHT])
  describeInChromium("a long chat", {}, longChat)

  it("no row of another person is read or changed by all that these suites do", async () => {
    await closeSessions(server.url)
    expect(before.filter((line) => line.includes(bystander.mark)).length).toBeGreaterThan(5)
    expect(await bystander.everything()).toEqual(before)
    await server.stop()
    const report = JSON.parse(readFileSync(file, "utf8")) as ServerReport
    expect(report.foreign).toEqual([])
    expect(report.missed).toEqual([])
    expect(report.statements.length).toBeGreaterThanOrEqual(30)
    expect([...removal.missed]).toEqual([])
    expect(removal.functions.size).toBeGreaterThanOrEqual(40)
  })
})
