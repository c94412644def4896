import { connect, type Socket } from "node:net"
import { expect, test } from "vitest"
import { cookieFor, startServer } from "./support/startServer.ts"
import { untilStill } from "./support/untilStill.ts"

const MIB = 1024 * 1024
const PEOPLE = 4
const BODIES = 500

test("two thousand unfinished JSON bodies of a megabyte use little memory, and do not stop others from chatting", async () => {
  const server = await startServer()
  const almost = Buffer.alloc(MIB - 1024, " ")
  const before = process.memoryUsage().rss
  const sockets: Array<Socket> = []
  for (let person = 0; person < PEOPLE; person++) {
    const head = `POST /api/chat HTTP/1.1\r\nhost: x\r\ncookie: ${await cookieFor(`eve-${person}`)}\r\n`
    for (let index = 0; index < BODIES; index++) {
      const socket = connect({ host: "127.0.0.1", port: server.port })
      socket.on("error", () => undefined)
      socket.write(`${head}content-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`)
      socket.write(almost)
      sockets.push(socket)
    }
  }
  await expect.poll(() => server.requests.size, { timeout: 60_000 }).toBeGreaterThan(PEOPLE)
  await expect.poll(() => sockets.every(({ connecting }) => !connecting), { timeout: 60_000 }).toBe(true)
  await untilStill(() => Math.round(process.memoryUsage().rss / (4 * MIB)))
  const grown = (process.memoryUsage().rss - before) / MIB
  expect(grown).toBeLessThan(400)
  const long = { messages: [{ role: "user", content: "word ".repeat(10_000) }] }
  for (let index = 0; index < 10; index++) {
    const answer = await server.post("/api/chat", long, `ann-${index}`)
    expect(answer.status).toBe(200)
    await answer.text()
  }
  for (const socket of sockets) socket.destroy()
  await server.requests.idle()
  await server.close()
}, 300_000)
