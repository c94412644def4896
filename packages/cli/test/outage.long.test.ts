import { execFileSync } from "node:child_process"
import { readdirSync, readlinkSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SilentVendor } from "./crash/SilentVendor.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

const REQUESTS = 60
const RECORDS_AT_MOST = 15

const recordsIn = (log: string): ReadonlyArray<string> =>
  log.split("\n").filter((line) => /^\[[\d:.]+\] (?:WARN|ERROR|FATAL)/.test(line))

const chat = (person: Visitor) =>
  person.post("/api/chat", { messages: [{ role: "user", content: "Hello?" }] }).then(async (answer) => {
    await answer.text()
    return answer.status
  })

/** The numbers of the files that a process has open, in order. */
const openFiles = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/fd`)
    .map(Number)
    .toSorted((a, b) => a - b)

/** The number of a process's connections and listeners; its other files come and go with the work of the database. */
const openSockets = (pid: number): number =>
  openFiles(pid).filter((file) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${file}`).startsWith("socket:")
    } catch {
      return false // closed since the folder was read
    }
  }).length

const limitFiles = (pid: number, most: number): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${most}:`])
}

/** A free port of this machine. */
const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe("a server", () => {
  const folder = temporaryFolder()
  let server: RunningServer
  let vendor: SilentVendor
  let person: Visitor

  beforeAll(async () => {
    vendor = await SilentVendor.start()
    server = await startServer(folder.path, { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: vendor.url })
    person = new Visitor(server.url)
    await person.signIn("ann@example.org")
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await vendor[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it.runIf(process.platform === "linux")(
    "that has no file descriptors left says so, and not that a model failed",
    async () => {
      // Over the connection that this person has already: a new one would not be taken.
      expect(await chat(person)).toBe(200)
      const { pid = 0 } = server.process.child
      const used = openSockets(pid)
      vendor.closeConnections()
      await eventually("the connection to the vendor to be closed", () => (openSockets(pid) < used ? true : undefined))
      // The system assigns the lowest free number: from now on there is none.
      const free = openFiles(pid).findIndex((file, index) => file !== index)
      limitFiles(pid, free < 0 ? openFiles(pid).length : free)
      try {
        expect(await chat(person)).toBe(500)
      } finally {
        limitFiles(pid, 1_024)
      }
      await eventually("the log to tell it", () => (/cause.*EMFILE/.test(server.process.stderr) ? true : undefined))
      expect(await chat(person)).toBe(200)
    }
  )
})

it("an outage writes at most 15 records for 60 requests that failed by it", async () => {
  using folder = temporaryFolder()
  await using server = await startServer(folder.path, {
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`
  })
  const people = Array.from({ length: 20 }, () => new Visitor(server.url))
  await Promise.all(people.map((each, index) => each.signIn(`person-${index}@example.org`)))
  const before = server.process.stderr.length
  const asked = people.flatMap((person) => Array.from({ length: REQUESTS / people.length }, () => chat(person)))
  const statuses = await Promise.all(asked)
  expect(statuses).toEqual(Array.from({ length: REQUESTS }, () => 500))
  server.process.child.kill("SIGTERM")
  const { stderr } = await server.process.ended
  const log = stderr.slice(before)
  expect(log).toContain("ECONNREFUSED")
  // Omitted records are counted: of sixty failed requests, the first one is logged.
  expect(log).toMatch(/message: 'A request failed\.',\s+leftOut: 59/)
  const records = recordsIn(log)
  expect(records.length, records.join("\n")).toBeLessThanOrEqual(RECORDS_AT_MOST)
  expect(records.length).toBeGreaterThan(0)
})
