import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect } from "effect"
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { clamAvPlace, ClamAvScanner } from "../src/index.ts"

let servers: Array<Server> = []
let sockets: Array<Socket> = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  servers = []
  sockets = []
})

/** A clamd that answers in a scripted way; returns its address and the bytes that it received. */
const clamdThat = async (behave: (socket: Socket, received: () => Buffer) => void) => {
  const pieces: Array<Buffer> = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => undefined)
    socket.on("data", (piece: Buffer) => {
      pieces.push(piece)
      behave(socket, () => Buffer.concat(pieces))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, received: () => Buffer.concat(pieces) }
}

const END = Buffer.alloc(4)
/** Answers once the whole stream has come, in these pieces, each in a packet of its own. */
const answering =
  (...answer: ReadonlyArray<string>) =>
  (socket: Socket, received: () => Buffer) => {
    if (!received().subarray(-4).equals(END)) return
    const [first = "", ...rest] = answer
    socket.write(first, () => rest.forEach((piece) => setImmediate(() => socket.write(piece))))
  }

const FILE = Buffer.from("a file of the test")
/** The verdict, or the reason why there is none. */
const scan = (url: string, bytes: Uint8Array = FILE, timeoutMs = 10_000): Promise<string> =>
  Effect.runPromise(
    Effect.match(ClamAvScanner({ url, timeoutMs }).scan(bytes), {
      onFailure: ({ reason }) => reason,
      onSuccess: (verdict) => verdict
    })
  )

describe("the scanner over clamd's protocol", () => {
  it("sends the file whole, in one chunk with its length, and an empty one after it", async () => {
    const clamd = await clamdThat(answering("stream: OK\0"))
    const bytes = Buffer.alloc(300_000, 7)
    expect(await scan(clamd.url, bytes)).toBe("clean")
    const length = Buffer.from([0, 4, 147, 224])
    expect(clamd.received().equals(Buffer.concat([Buffer.from("zINSTREAM\0"), length, bytes, END]))).toBe(true)
  })

  it.each([
    ["in one piece", ["stream: Eicar-Signature FOUND\0"]],
    ["in several pieces", ["stream: Eicar-Sig", "nature FOU", "ND\0"]]
  ])("finds malware if the answer comes %s", async (_, answer) => {
    const clamd = await clamdThat(answering(...answer))
    expect(await scan(clamd.url)).toBe("infected")
  })

  it.each([
    ["an answer that is cut off", ["stream: OK"], "timeout"],
    ["an error", ["INSTREAM: Can't allocate memory. ERROR\0"], "refused"],
    ["an answer about something else", ["other: OK\0"], "refused"],
    ["an answer without an end", ["x".repeat(5_000)], "refused"]
  ])("%s is no verdict", async (_, answer, reason) => {
    const clamd = await clamdThat(answering(...answer))
    expect(await scan(clamd.url, FILE, 300)).toBe(reason)
  })

  it("takes no OK before the whole file was sent, but a finding", async () => {
    const whole = Buffer.alloc(64 * 2 ** 20)
    for (const [early, verdict] of [
      ["stream: OK\0", "refused"],
      ["stream: Eicar-Signature FOUND\0", "infected"]
    ] as const) {
      const clamd = await clamdThat((socket) => {
        socket.pause()
        socket.write(early)
      })
      expect(await scan(clamd.url, whole)).toBe(verdict)
    }
  })

  it("says that a file is too large, also if the answer is lost because the connection breaks", async () => {
    const refusing = "INSTREAM size limit exceeded. ERROR\0"
    const heard = await clamdThat(answering(refusing))
    expect(await scan(heard.url)).toBe("too-large")
    const head = Buffer.from("zINSTREAM\0").byteLength + 4
    let connections = 0
    const losing = await clamdThat((socket, received) => {
      // The first connection brings the file and breaks; the second one brings its length alone.
      if (received().byteLength === head + FILE.byteLength + END.byteLength && connections++ === 0)
        socket.resetAndDestroy()
      else if (connections > 0) socket.end(refusing)
    })
    expect(await scan(losing.url)).toBe("too-large")
  })

  it("no text but the verdicts is one", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary-ascii", maxLength: 40 }), async (text) => {
        fc.pre(!text.includes("\0"))
        const clamd = await clamdThat(answering(`${text}\0`))
        expect(await scan(clamd.url)).toBe("refused")
      }),
      { numRuns: 50, examples: [["stream: OK "], ["stream: OKAY"], ["stream: FOUND"], ["stream: X FOUND."], [""]] }
    ))

  it("a clamd that closes, is silent or is away gives no verdict", async () => {
    const closing = await clamdThat((socket) => socket.destroy())
    expect(await scan(closing.url)).toBe("unreachable")
    const silent = await clamdThat(() => undefined)
    expect(await scan(silent.url, FILE, 100)).toBe("timeout")
    expect(await scan("tcp://127.0.0.1:1")).toBe("unreachable")
    expect(await scan("unix:/nowhere/clamd.ctl")).toBe("unreachable")
  })

  it.each([
    ["tcp://scanner:3311", { host: "scanner", port: 3311 }],
    ["tcp://scanner", { host: "scanner", port: 3310 }],
    ["tcp://[::1]:3310", { host: "::1", port: 3310 }],
    ["unix:/run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
    ["unix:///run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
    ["http://scanner:3310", undefined],
    ["tcp://scanner:3310/path", undefined],
    ["scanner:3310", undefined],
    ["unix:relative", undefined],
    ["", undefined]
  ])("reads the address %j", (url, place) => {
    expect(clamAvPlace(url)).toEqual(place)
  })
})
