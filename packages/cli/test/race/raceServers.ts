import { afterAll, beforeAll } from "vitest"
import type { HeldModel } from "./HeldModel.ts"
import { dropSchema, type InProcessServer, startInProcess } from "./InProcessServers.ts"

/**
 * This many servers over one schema on the Postgres at `url`, for the tests of the calling suite: returns the server
 * for an index, in rotation.
 */
export const raceServers = (
  url: string,
  name: string,
  count: number,
  model: HeldModel,
  config: Parameters<typeof startInProcess>[2]
): ((index: number) => InProcessServer) => {
  const schema = `${name}_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  let servers: ReadonlyArray<InProcessServer> = []
  beforeAll(async () => {
    // The first one brings the schema up to date.
    const first = await startInProcess({ url, schema }, model, config)
    const rest = Array.from({ length: count - 1 }, () => startInProcess({ url, schema }, model, config))
    servers = [first, ...(await Promise.all(rest))]
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()))
    await dropSchema(url, schema)
  })
  return (index) => servers[index % servers.length] as InProcessServer
}
