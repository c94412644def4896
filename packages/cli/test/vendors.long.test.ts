import { expect, it } from "vitest"
import { FakeOpenAi } from "../../../test/support/FakeOpenAi.ts"
import { departures } from "./processes/departures.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { startServer, Visitor } from "./processes/RunningServer.ts"

const PROMISED_MS = 100

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

it("a vendor that is silent hears of a reader's leaving within 100 ms: the median of fifteen", async () => {
  using folder = temporaryFolder()
  await using vendor = new FakeOpenAi()
  const environment = { OPENAI_API_KEY: "sk-of-the-tests", OPENAI_BASE_URL: await vendor.start() }
  await using server = await startServer(folder.path, environment)
  const visitor = new Visitor(server.url)
  await visitor.signIn("ann@example.com")
  expect(median(await departures({ url: server.url, visitor, vendor, count: 15 }))).toBeLessThan(PROMISED_MS)
})
