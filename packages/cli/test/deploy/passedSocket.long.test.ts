import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { CrashRig, catalog, hasPostgres } from "../crash/CrashRig.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { judgeReplies } from "./judgeReplies.ts"
import { PassedSocket, serveOnDescriptor } from "./PassedSocket.ts"
import { openPort } from "./ports.ts"
import { SlowVendor } from "./SlowVendor.ts"
import { SESSION_SECRET, SteadyReaders } from "./SteadyReaders.ts"

const PER_SECOND = 10
/** A reply takes a second. */
const PIECES = 6
const INTERVAL_MS = 200
const hasSystemd = existsSync("/usr/bin/systemd-socket-activate")
const session = { PARLEY_SESSION_SECRET: SESSION_SECRET }

describe.runIf(hasPostgres && hasSystemd)("a socket of systemd", () => {
  it("loses no request and cuts no reply if one of two servers on it stops, or the next starts only after all have ended", async () => {
    await using vendor = await SlowVendor.start({ pieces: PIECES, intervalMs: INTERVAL_MS })
    await using rig = new CrashRig(catalog, { OPENAI_API_KEY: "any", OPENAI_BASE_URL: vendor.url, LOG_LEVEL: "warn" })
    await using socket = new PassedSocket(await openPort(), rig.folder, { ...rig.environment, ...session })
    await socket.open()
    const readers = new SteadyReaders({ url: socket.url, perSecond: PER_SECOND })
    const answered = () => readers.asked.filter(({ isWhole }) => isWhole).length
    const more = (replies: number, before = answered()) =>
      eventually("more replies", () => (answered() >= before + replies ? true : undefined))
    const ended = (servers: number) =>
      eventually("a server to end", () => (socket.exits.length === servers ? true : undefined))
    try {
      const stopFirst = await socket.startServer()
      await more(2 * PER_SECOND)
      const stopSecond = await socket.startServer()
      stopFirst()
      await ended(1)
      await more(2 * PER_SECOND)
      stopSecond()
      await ended(2)
      await socket.startServer()
      await more(2 * PER_SECOND)
    } catch (cause) {
      throw new Error(`The servers say: ${socket.said}`, { cause })
    } finally {
      await readers.end()
    }
    expect(socket.exits).toEqual([0, 0])
    await judgeReplies(rig, readers.asked, PIECES)
  })
})

describe("a server that systemd passes", () => {
  const folder = "/"
  const server = { ...session, DATABASE_URL: "postgres://localhost:1/none" }
  const passed = (sockets: string) => ({ LISTEN_PID: String(process.pid), LISTEN_FDS: sockets })

  it("two sockets names the lines of the units that pass one", async () => {
    const ended = await runHere(["serve", "--no-work"], folder, { ...server, ...passed("2") })
    expect(ended).toMatchObject({ exit: 3, stdout: "" })
    expect(ended.stderr).toMatch(/LISTEN_FDS: .*ListenStream=.*Sockets=/)
  })

  it("a socket, on which others may reach it, refuses the sign-in that is for the own machine alone", async () => {
    const { PARLEY_SESSION_SECRET: _, ...without } = server
    const ended = await runHere(["serve", "--no-work"], folder, { ...without, ...passed("1") })
    expect(ended).toMatchObject({ exit: 3, stdout: "" })
    expect(ended.stderr).toContain("systemd opens the port")
  })

  it.runIf(hasPostgres)("something that is no listening TCP socket says which address to set", async () => {
    await using rig = new CrashRig(catalog, session)
    const ended = await serveOnDescriptor("/dev/null", rig.folder, rig.environment)
    expect(ended).toMatchObject({ exit: 3 })
    expect(ended.stderr).toContain("Set ListenStream= of the socket's unit to an address with a port")
  })
})
