import { openInMemory } from "@parley/core"
import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { startServer } from "./support/startServer.ts"

const unknown = { name: "workers", status: "failed", detail: expect.stringContaining("could not be looked at") }

test.each([
  ["is silent", Effect.never],
  ["fails", Effect.fail(new StorageFailed({ operation: "WorkerRegistry.state", retryable: true, cause: "none" }))]
])("a server whose look at the background work %s is ready all the same, and says so", async (_, state) => {
  const { workers } = await openInMemory()
  const server = await startServer({ parley: { workers: { ...workers, state: () => state } } })
  const response = await server.fetch("/readyz")
  expect([response.status, await response.json()]).toEqual([200, { status: "ready", checks: [unknown] }])
  await server.close()
})
