import { describe, expect, it } from "vitest"
import { creditsOf, openReply, restOf } from "./processes/openReply.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { startServer } from "./processes/RunningServer.ts"

const ANN = "ann@example.com"

describe("SIGTERM", () => {
  it("cuts a reply that does not end within PARLEY_DRAIN_SECONDS, and leaves no open hold", async () => {
    using folder = temporaryFolder()
    await using server = await startServer(folder.path, { PARLEY_DRAIN_SECONDS: "10" })
    const { reader } = await openReply(server.url, ANN, "!offline slow 400 !offline tokens 90")
    const stopped = performance.now()
    server.process.child.kill("SIGTERM")
    await expect(restOf(reader)).rejects.toThrow()
    expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
    expect(performance.now() - stopped).toBeGreaterThan(9_000)
    expect(await creditsOf(ANN, folder.path)).toEqual({ held: 0, replies: ["stopped"] })
  })
})
