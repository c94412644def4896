import { rmSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { catalog, CrashRig, hasPostgres } from "../crash/CrashRig.ts"
import { eventually, temporaryFolder } from "../processes/ParleyProcess.ts"
import { environmentOf, readDockerfile, restOf } from "./dockerfile.ts"
import { buildTree, confined, outputOf, sizeOf } from "./imageTree.ts"
import { openPort } from "./ports.ts"

const MEGABYTES_AT_MOST = 250

const [, final] = readDockerfile()
const [user = ""] = restOf(final, "USER")
const listOf = (word: string): ReadonlyArray<string> =>
  JSON.parse(/\[.*\]/.exec(restOf(final, word)[0] ?? "")?.[0] ?? "[]")

describe.runIf(hasPostgres && process.getuid?.() === 0)(
  "the tree of the image, built by the Dockerfile's own commands",
  () => {
    const folder = temporaryFolder()
    let root = ""
    beforeAll(async () => {
      root = await buildTree(`${folder.path}/build`)
    }, 900_000)
    afterAll(() => rmSync(folder.path, { recursive: true, force: true }))

    /** A command in the container: not root, and only `/tmp` can be written. */
    const inContainer = (command: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
      confined({ root, user, as: "run", command, environment: { ...environmentOf(final), ...environment } })

    it(`has less than ${MEGABYTES_AT_MOST} MB`, async ({ annotate }) => {
      const megabytes = (await sizeOf(root)) / 1e6
      await annotate(`${Math.round(megabytes)} MB`)
      expect(megabytes).toBeLessThan(MEGABYTES_AT_MOST)
    })

    it("confines document parsers", async () => {
      const settings = { NODE_ENV: "", HOST: "127.0.0.1", PARLEY_DATA_DIR: "/tmp/data" }
      const output = await outputOf(inContainer([...listOf("ENTRYPOINT"), "doctor"], settings))
      expect(output).toMatch(/document parsers +read no files of others; open no sockets/)
    })

    it("migrates, serves, is healthy by its own check, and stops, as another user on a root that it cannot write", async () => {
      await using rig = new CrashRig({ ...catalog })
      const port = await openPort()
      const settings = {
        DATABASE_URL: rig.environment["DATABASE_URL"] ?? "",
        PARLEY_DB_SCHEMA: rig.schema,
        PORT: String(port),
        PARLEY_ALLOW_STAND_INS: "1",
        PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE",
        PARLEY_SESSION_ISSUER: "https://id.example.com/",
        PARLEY_SESSION_AUDIENCE: "parley"
      }
      const healthy = () => outputOf(inContainer(listOf("HEALTHCHECK"), settings))
      await outputOf(inContainer([...listOf("ENTRYPOINT"), "migrate"], settings))
      await expect(healthy()).rejects.toThrow("ended with 1")
      const server = inContainer([...listOf("ENTRYPOINT"), ...listOf("CMD")], settings)
      const ended = outputOf(server)
      ended.catch(() => undefined)
      await eventually("the server to be ready", async () => {
        if (server.exitCode !== null) await ended
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
        return answer?.status === 200 ? true : undefined
      })
      await healthy()
      expect((await fetch(`http://127.0.0.1:${port}/`)).headers.get("content-type")).toContain("text/html")
      server.kill("SIGTERM")
      expect(await ended).toContain("Stopped.")
    })
  }
)
