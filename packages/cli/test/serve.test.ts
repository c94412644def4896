import { statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually, ParleyProcess, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { creditsOf, openReply, restOf } from "./processes/openReply.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"

const ANN = "ann@example.com"
const urlOf = ({ stdout }: ParleyProcess) => /http:\/\/[\w.]+:\d+/.exec(stdout)?.[0]

/**
 * One folder and the processes that serve it one after another: each test begins with the state that the previous one
 * left.
 */
describe("parley serve", () => {
  const folder = temporaryFolder()
  let server: RunningServer
  let ann: Visitor
  beforeAll(async () => {
    server = await startServer(folder.path)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("says where it listens, what it runs on, and how to get the real parts", async () => {
    expect(server.url).toMatch(/^http:\/\/localhost:\d+$/)
    for (const text of [
      "PGlite",
      folder.path,
      "a power cut can lose",
      "DATABASE_URL",
      "offline",
      "OPENAI_API_KEY",
      "PARLEY_SESSION_SECRET"
    ]) {
      expect(server.process.stdout).toContain(text)
    }
    expect(server.process.stdout).toMatch(
      /^ {2}work +here: jobs, requeue, files, holds, callLimits, paymentEvents, verification, events, resets$/m
    )
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  })

  it("names the process that owns the data folder to another, which ends with 1", async () => {
    const second = await runParley(["serve"], folder.path, { PORT: "0" })
    expect(second).toMatchObject({ exit: 1, stdout: "" })
    expect(second.stderr).toContain(`process ${server.process.child.pid}`)
  })

  it("keeps its folder to its owner", async () => {
    expect(statSync(join(folder.path, ".parley", "parley.sock")).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder.path, ".parley")).mode & 0o777).toBe(0o700)
  })

  it("lets a reply that runs finish at SIGTERM, takes no new request, and ends with 0", async () => {
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
    const { reader, first } = await openReply(server.url, ANN, "!offline slow 20 !offline tokens 60")
    server.process.child.kill("SIGTERM")
    await eventually("connections to be refused", async () =>
      fetch(`${server.url}/healthz`).then(
        () => undefined,
        () => true
      )
    )
    expect((first + (await restOf(reader))).trim().endsWith("60")).toBe(true)
    expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
    expect(await creditsOf(ANN, folder.path)).toEqual({ held: 0, replies: ["completed"] })
  })

  it("keeps data over a restart, and takes no sign-in of an earlier start", async () => {
    server = await startServer(folder.path)
    const later = new Visitor(server.url, ann.cookie)
    expect((await later.get("/api/billing/balance")).status).toBe(401)
    await later.signIn(ANN)
    const { total } = await later.getJson<{ total: number }>("/api/billing/credit-history")
    expect(total).toBe(2)
    expect(server.process.stderr).not.toContain("up to date")
  })

  it("takes the folder of a server that was killed over, exactly one of two that start at once", async () => {
    server.process.child.kill("SIGKILL")
    await server.process.ended
    expect(statSync(join(folder.path, ".parley", "parley.sock")).isSocket()).toBe(true)
    const both = [0, 1].map(() => new ParleyProcess(["serve"], folder.path, { PORT: "0" }))
    try {
      const loser = await eventually("one to give up", () => both.find(({ child }) => child.exitCode !== null))
      expect(loser.child.exitCode).toBe(1)
      const winner = both.find((each) => each !== loser)
      if (winner === undefined) throw new Error("There is no winner.")
      const url = await eventually("the winner to listen", () => urlOf(winner))
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      server = { process: winner, url, [Symbol.asyncDispose]: () => winner[Symbol.asyncDispose]() }
    } finally {
      for (const each of both) if (each !== server.process) await each[Symbol.asyncDispose]()
    }
  })

  it("that hears SIGTERM twice ends at once with 143", async () => {
    const { child, ended } = server.process
    await openReply(server.url, ANN, "!offline slow 400 !offline tokens 90")
    child.kill("SIGTERM")
    await eventually("the first signal to be seen", () => server.process.stderr.includes("Stopping") || undefined)
    // Signals that follow within an instant count as one.
    const end = await eventually("the end", () => {
      child.kill("SIGTERM")
      return child.exitCode ?? undefined
    })
    expect(end).toBe(143)
    await ended
  })
})

describe("parley serve, of what it is given,", () => {
  it("says in a sentence that the port is taken and ends with 1", async () => {
    using folder = temporaryFolder()
    const other = createServer().listen(0, "127.0.0.1")
    try {
      const address = await eventually("a port", () => other.address() ?? undefined)
      const port = String((address as { port: number }).port)
      const { exit, stderr } = await runHere(["serve"], folder.path, { PORT: port })
      expect(exit).toBe(1)
      expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken`)
      expect(stderr).not.toContain("    at ")
    } finally {
      other.close()
    }
  })

  it("refuses to start on a bad configuration, with all of it at once, no value, and 3", async () => {
    using folder = temporaryFolder()
    const environment = { NODE_ENV: "production", HOST: "0.0.0.0", PORT: "hunter2", DATABASE_URL: "hunter2" }
    const { exit, stderr, stdout } = await runHere(["serve"], folder.path, environment)
    expect([exit, stdout]).toEqual([3, ""])
    for (const name of ["PORT", "DATABASE_URL", "PARLEY_SESSION_SECRET", "PARLEY_ALLOW_STAND_INS"]) {
      expect(stderr).toContain(name)
    }
    expect(stderr).not.toContain("hunter2")
  })

  it("logs lines of JSON in production and has no development sign-in there", async () => {
    using folder = temporaryFolder()
    const claims = { PARLEY_SESSION_ISSUER: "us", PARLEY_SESSION_AUDIENCE: "parley" }
    const environment = {
      NODE_ENV: "production",
      PARLEY_SESSION_SECRET: SECRET,
      ...claims,
      PARLEY_ALLOW_STAND_INS: "1"
    }
    await using server = await serveHere(folder.path, environment)
    expect(server.said.stdout).toBe("")
    const logged = server.said.stderr.trim().split("\n")
    expect(logged.map((line) => (JSON.parse(line) as { level: string }).level)).toContain("INFO")
    expect(server.said.stderr).not.toContain(SECRET)
    await expect(new Visitor(server.url).signIn(ANN)).rejects.toThrow("404")
    const lines = () => server.said.stdout.split("\n").filter((line) => line !== "")
    const [line = ""] = await eventually("the request to be logged", () => (lines().length > 0 ? lines() : undefined))
    expect(JSON.parse(line)).toMatchObject({ method: "POST", status: 404, complete: true, bytes: expect.any(Number) })
  })

  it("logs requests as PARLEY_LOG_REQUESTS says, by default none outside production", async () => {
    for (const [setting, expected] of [
      ["on", true],
      ["off", false],
      ["auto", false]
    ] as const) {
      using folder = temporaryFolder()
      await using server = await serveHere(folder.path, { PARLEY_LOG_REQUESTS: setting })
      await (await fetch(`${server.url}/healthz?q=secret`)).text()
      await server.stop()
      expect(server.said.stdout.includes('"route":"GET /healthz"')).toBe(expected)
      expect(server.said.stdout).not.toContain("secret")
    }
  })
})
