import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../adapters-db/test/administer.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { RefusingPostgres } from "./processes/RefusingPostgres.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

interface Check {
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly where: string
}
const postgres = process.env["TEST_DATABASE_URL"] ?? ""
const checksOf = (stdout: string) => (JSON.parse(stdout) as { readonly checks: ReadonlyArray<Check> }).checks
const failedOf = (stdout: string) => checksOf(stdout).filter(({ status }) => status === "failed")

const commands = [["serve"], ["migrate"], ["doctor"], ["credits", "balance", "ann"], ["credits", "verify"]]
const lines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("Parley is starting"))

/** Unusable data folders, each created in an empty folder; returns the path. */
const unusable: ReadonlyArray<readonly [string, (place: string) => string]> = [
  ["lies under /proc", () => "/proc/parley"],
  ["lies where nobody may write", () => "/sys/kernel"],
  ["is a file", (place) => made(join(place, "file"), (path) => writeFileSync(path, ""))],
  [
    "lies below a file",
    (place) =>
      join(
        made(join(place, "file"), (path) => writeFileSync(path, "")),
        "deeper"
      )
  ],
  ["is a link that leads nowhere", (place) => made(join(place, "link"), (path) => symlinkSync("nowhere", path))],
  ["is a link to itself", (place) => made(join(place, "link"), (path) => symlinkSync("link", path))],
  [
    "holds a file in the place of its database",
    (place) => (writeFileSync(join(made(join(place, "data"), mkdirSync), "database"), ""), join(place, "data"))
  ]
]
const made = (path: string, make: (path: string) => void): string => {
  make(path)
  return path
}

describe("a data folder that cannot be used", () => {
  it.each(unusable)("that %s is reported in one sentence and with 3, by serve and by doctor", async (_, prepare) => {
    using folder = temporaryFolder()
    const environment = { PARLEY_DATA_DIR: prepare(folder.path), PORT: "0" }
    const before = readdirSync(folder.path)
    const [serve, doctor] = await Promise.all([
      runHere(["serve"], folder.path, environment),
      runHere(["doctor", "--json"], folder.path, environment)
    ])
    expect([serve.exit, doctor.exit, serve.stdout]).toEqual([3, 3, ""])
    const said = lines(serve.stderr)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(`data folder ${environment.PARLEY_DATA_DIR} cannot be used`)
    const [found, ...more] = failedOf(doctor.stdout)
    expect([more, said[0]]).toEqual([[], `The configuration is not usable: ${found?.detail}.`])
    expect(readdirSync(folder.path)).toEqual(before)
  })

  it("is reported by every command", async () => {
    using folder = temporaryFolder()
    const ended = await Promise.all(
      commands.map((argv) => runHere(argv, folder.path, { PARLEY_DATA_DIR: "/proc/parley" }))
    )
    expect(ended.map(({ exit }) => exit)).toEqual(commands.map(() => 3))
    for (const { stderr, stdout } of ended) expect(stderr + stdout).toContain("/proc/parley cannot be used")
  })
})

describe("problems of the configuration", () => {
  it("are the same in serve and doctor, all in one list; commands leave out what only serving asks for", async () => {
    using folder = temporaryFolder()
    const environment = { PORT: "hunter2", PARLEY_DATA_DIR: "/proc/parley", NODE_ENV: "production" }
    const run = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path, environment)
    const [serve, doctor, balance] = await Promise.all([run("serve"), run("doctor", "--json"), run("credits", "sweep")])
    expect([serve.exit, doctor.exit, balance.exit]).toEqual([3, 3, 3])
    const listed = (text: string) => [...text.matchAll(/^ {2}- (.*)$/gm)].map(([, problem]) => problem)
    const found = failedOf(doctor.stdout).map(({ detail }) => detail)
    expect(listed(serve.stderr)).toEqual(found)
    const names = found.map((detail) => detail.split(":")[0])
    expect(names).toEqual(
      expect.arrayContaining([
        "PORT",
        "PARLEY_DATA_DIR",
        "PARLEY_SESSION_ISSUER, PARLEY_SESSION_SECRET or PARLEY_SMTP_URL"
      ])
    )
    expect(listed(balance.stderr)).toEqual(found.slice(0, 2))
    expect(serve.stderr + doctor.stdout + balance.stderr).not.toContain("hunter2")
  })
})

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe("a variable that does not exist", () => {
  it("is reported by serve at its start, and by doctor, which fails for no other reason", async () => {
    using folder = temporaryFolder()
    const environment = { PARLEY_SESION_SECRET: "hunter2", PORT: "0" }
    const doctor = await runHere(["doctor", "--json"], folder.path, environment)
    const told = checksOf(doctor.stdout).filter(({ detail }) => detail.includes("PARLEY_SESION_SECRET"))
    expect([doctor.exit, told]).toMatchObject([
      0,
      [{ name: "configuration", status: "note", detail: expect.stringContaining("nearest is PARLEY_SESSION_SECRET") }]
    ])
    await using running = await serveHere(folder.path, environment)
    expect(running.said.stderr).toContain("PARLEY_SESION_SECRET: there is no such variable")
    expect(doctor.stdout + running.said.stdout + running.said.stderr).not.toContain("hunter2")
  })
})

describe("a port that is taken", () => {
  it("is reported before the database is queried, by serve with 1, and by doctor", async () => {
    using folder = temporaryFolder()
    await using database = await RefusingPostgres.start("57P03")
    const taken = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const PORT = String((taken.address() as AddressInfo).port)
    try {
      const served = await runHere(["serve"], folder.path, { PORT, DATABASE_URL: database.url })
      expect([served.exit, database.connections]).toEqual([1, 0])
      expect(lines(served.stderr)).toEqual([expect.stringContaining(`Port ${PORT}`)])
      const embedded = await runHere(["serve"], folder.path, { PORT })
      expect([embedded.exit, existsSync(join(folder.path, ".parley/database"))]).toEqual([1, false])
      const doctor = await runHere(["doctor", "--json"], folder.path, { PORT })
      expect([doctor.exit, failedOf(doctor.stdout)]).toMatchObject([1, [{ name: "port" }]])
    } finally {
      await new Promise((resolve) => taken.close(resolve))
    }
  })
})

describe("a database that cannot be used", () => {
  it.each([
    ["3D000", "no database of the name"],
    ["28000", "no such role"],
    ["28P01", "password"],
    ["53300", "no more connections"],
    ["57P03", "starting or stopping"],
    ["0A000", "pgvector"],
    ["XX000", "XX000"]
  ])("for %s is told in words by every command, with 69", async (code, words) => {
    using folder = temporaryFolder()
    await using database = await RefusingPostgres.start(code)
    const environment = { DATABASE_URL: database.url, PORT: "0" }
    const ended = await Promise.all(commands.map((argv) => runHere(argv, folder.path, environment)))
    expect(ended.map(({ exit }) => exit)).toEqual(commands.map(() => 69))
    for (const { stderr, stdout } of ended) {
      expect(stderr + stdout).toContain(words)
      expect(stderr + stdout).not.toContain("hunter2")
    }
  })
})

describe.skipIf(postgres === "")("on a Postgres server", () => {
  const name = `parley_problems_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const at = (change: (url: URL) => void): string => {
    const url = new URL(postgres || "postgres://none")
    change(url)
    return url.href
  }
  beforeAll(() =>
    administer([
      `CREATE DATABASE ${name}`,
      `CREATE ROLE ${name} LOGIN`,
      `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
      `GRANT CONNECT ON DATABASE ${name} TO ${name}`
    ])
  )
  afterAll(async () => {
    folder[Symbol.dispose]()
    await administer([`DROP DATABASE IF EXISTS ${name}`, `DROP ROLE IF EXISTS ${name}`])
  })

  it.each([
    ["a database that does not exist", at((url) => (url.pathname = `/${name}_none`)), "no database of the name"],
    ["a role that does not exist", at((url) => (url.username = `${name}_none`)), "no such role"]
  ])("%s is told in words by every command, with 69", async (_, url, words) => {
    const ended = await Promise.all(
      commands.map((argv) => runHere(argv, folder.path, { DATABASE_URL: url, PORT: "0" }))
    )
    expect(ended.map(({ exit }) => exit)).toEqual(commands.map(() => 69))
    for (const { stderr, stdout } of ended) expect(stderr + stdout).toContain(words)
  })

  it("a login without the right to create objects gets the SQL for an administrator, with 69", async () => {
    const url = at((each) => {
      each.username = name
      each.pathname = `/${name}`
    })
    const run = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path, { DATABASE_URL: url, PORT: "0" })
    for (const { exit, stderr } of await Promise.all([run("serve"), run("migrate")])) {
      expect(exit).toBe(69)
      expect(lines(stderr).filter((line) => !line.includes(" INFO "))).toEqual([
        expect.stringContaining("GRANT CREATE ON DATABASE")
      ])
      expect(stderr).not.toContain("permission denied")
    }
  })
})

describe("doctor beside a running server", () => {
  it("reports requests through an untrusted proxy", async () => {
    using folder = temporaryFolder()
    const PORT = String(await freePort())
    await using server = await serveHere(folder.path, { PORT })
    const proxyOf = async () => {
      const { stdout } = await runHere(["doctor", "--json"], folder.path, { PORT })
      return checksOf(stdout).filter(({ name }) => name === "proxy")
    }
    expect(await proxyOf()).toEqual([])
    await fetch(`${server.url}/api/me`, { headers: { "x-forwarded-for": "203.0.113.7" } })
    expect(await proxyOf()).toMatchObject([{ status: "note", advice: expect.stringContaining("PARLEY_TRUST_PROXY") }])
  })

  it("checks its own environment and the server's, and marks the place of each finding", async () => {
    using folder = temporaryFolder()
    await using server = await serveHere(folder.path, { OPENAI_API_KEY: "sk-server" })
    const run = (environment: Readonly<Record<string, string>>, ...more: ReadonlyArray<string>) =>
      runHere(["doctor", ...more], folder.path, environment)
    const [bad, plain, people] = await Promise.all([
      run({ LOG_LEVEL: "nonsense" }, "--json"),
      run({}, "--json"),
      run({})
    ])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect([bad.exit, failedOf(bad.stdout)]).toMatchObject([3, [{ where: "here", name: "configuration" }]])
    expect(checksOf(bad.stdout)).toContainEqual(
      expect.objectContaining({ where: "server", name: "database", status: "ok" })
    )
    expect(plain.exit).toBe(0)
    const model = (where: string) =>
      checksOf(plain.stdout).find((check) => check.where === where && check.name === "model model-a-mini")
    expect([model("here")?.status, model("server")?.status]).toEqual(["note", "ok"])
    expect(people.stdout).toMatch(/Only in this environment:\n[^]*\n\nIn the server that runs:\n[^]*database/)
  })

  it("lists each finding once: a common one belongs to the server", async () => {
    using folder = temporaryFolder()
    const environment = { OPENAI_API_KEY: "sk-server", PARLEY_HOLDTTL: "60" }
    await using _server = await serveHere(folder.path, environment)
    const [same, other, people] = await Promise.all([
      runHere(["doctor", "--json"], folder.path, { ...environment, PORT: "0" }),
      runHere(["doctor", "--json"], folder.path, { ...environment, PORT: "0", PARLEY_RESET: "off" }),
      runHere(["doctor"], folder.path, { ...environment, PORT: "0" })
    ])
    const found = ({ stdout }: { readonly stdout: string }) =>
      checksOf(stdout).map(({ detail, name, status }) => `${name} ${status} ${detail}`)
    for (const ended of [same, other]) expect(new Set(found(ended)).size).toBe(found(ended).length)
    expect(checksOf(same.stdout).filter(({ where }) => where === "here")).toEqual([])
    expect(found(same).join("\n")).toContain("PARLEY_HOLDTTL")
    const here = checksOf(other.stdout).filter(({ where }) => where === "here")
    expect(here.map(({ name }) => name)).toEqual(["work", "resets"])
    const said = lines(people.stdout).filter((line) => /^\S/.test(line))
    expect(new Set(said).size).toBe(said.length)
    expect(said[0]).toBe("In the server that runs, and in this environment:")
  })
})
