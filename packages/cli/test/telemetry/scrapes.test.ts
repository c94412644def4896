import { expect, it } from "vitest"
import { eventually, temporaryFolder } from "../processes/ParleyProcess.ts"
import { serveHere } from "../processes/serveHere.ts"

it("a server that stops serves its metrics until its last request has ended", async () => {
  using folder = temporaryFolder()
  const server = await serveHere(folder.path, { PARLEY_METRICS_PORT: "0", PARLEY_SHUTDOWN_DELAY: "2" })
  const port = await eventually(
    "the port of the metrics",
    () => /Metrics are served at \/metrics[^]*?port['"]?:? *(\d+)/.exec(server.said.stderr)?.[1]
  )
  const scrape = () => fetch(`http://127.0.0.1:${port}/metrics?from=prometheus`)
  const stopped = server.stop()
  await eventually("the server to stop", async () => (await fetch(`${server.url}/readyz`)).status === 503 || undefined)
  const answer = await scrape()
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("\nparley_replies_active 0\n")])
  expect(await stopped).toBe(0)
  await expect(scrape()).rejects.toThrow()
})
