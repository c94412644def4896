import { execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { copyRepository } from "./support/copyRepository.ts"
import { eventually } from "../packages/cli/test/processes/ParleyProcess.ts"
import { Visitor } from "../packages/cli/test/processes/RunningServer.ts"

const run = promisify(execFile)
const INSTALL_MS = 600_000

/** A newcomer's shell: the system's npm and Node, without the environment that npm sets for this test. */
const newcomer = (): NodeJS.ProcessEnv => {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
  const kept = Object.entries(process.env).filter(([name]) => /^(HOME|USER|LANG|npm_config_userconfig)$/i.test(name))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) }
}

const npm = async (folder: string, ...argv: ReadonlyArray<string>): Promise<string> => {
  const { stderr, stdout } = await run("npm", argv, { cwd: folder, env: newcomer() })
  return stdout + stderr
}

const installedMegabytes = async (folder: string): Promise<number> =>
  Number.parseInt((await run("du", ["-sm", join(folder, "node_modules")])).stdout, 10)

/** npm also warns of settings of the current user. */
const warnings = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => /^npm (warn|error)/i.test(line) && !line.includes("Unknown user config"))

/** `npm start` as a newcomer types it. */
const start = (folder: string) => {
  const began = performance.now()
  const child = spawn("npm", ["start"], {
    cwd: folder,
    env: { ...newcomer(), PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  const said = { text: "", firstLineMs: Number.NaN, listeningMs: Number.NaN }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said.text += text
      if (Number.isNaN(said.firstLineMs) && said.text.includes("Parley is starting")) {
        said.firstLineMs = Math.round(performance.now() - began)
      }
      if (Number.isNaN(said.listeningMs) && said.text.includes("listens on")) {
        said.listeningMs = Math.round(performance.now() - began)
      }
    })
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await ended
  }
  return { said, stop, child }
}

let clone: string
beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), "parley-first-steps-"))
  await copyRepository(clone)
}, INSTALL_MS)
afterAll(() => rmSync(clone, { recursive: true, force: true, maxRetries: 5 }))

it(
  "a fresh clone installs without a warning, in at most 600 MB",
  async () => {
    expect(warnings(await npm(clone, "ci"))).toEqual([])
    const megabytes = await installedMegabytes(clone)
    process.stdout.write(`npm ci: ${megabytes} MB\n`)
    expect(megabytes).toBeLessThanOrEqual(600)
  },
  INSTALL_MS
)

it(
  "without development parts it takes at most 350 MB, starts, and answers about an uploaded file",
  async () => {
    expect(warnings(await npm(clone, "prune", "--omit=dev"))).toEqual([])
    const megabytes = await installedMegabytes(clone)
    expect(megabytes).toBeLessThanOrEqual(350)
    const server = start(clone)
    try {
      const url = await eventually(
        "the server to listen",
        () => {
          if (server.child.exitCode !== null) throw new Error(`The server ended: ${server.said.text}`)
          return /listens on (http:\S+)/.exec(server.said.text)?.[1]
        },
        INSTALL_MS
      )
      const { firstLineMs, listeningMs } = server.said
      process.stdout.write(
        `npm prune --omit=dev: ${megabytes} MB; first line after ${firstLineMs} ms, listening after ${listeningMs} ms\n`
      )
      expect(firstLineMs).toBeLessThan(listeningMs)
      expect(await (await fetch(url)).text()).toContain('<script type="module"')
      const ann = new Visitor(url)
      await ann.signIn("ann@example.com")
      const text = new TextEncoder().encode("Storks return to Alsace in March and nest on chimneys.")
      const { documentId } = (await (await ann.upload("storks.txt", text)).json()) as { documentId: string }
      await eventually("the document to become ready", async () => {
        const { status } = await ann.getJson<{ status: string }>(`/api/documents/${documentId}`)
        return status === "ready" || undefined
      })
      const messages = [{ role: "user", content: "When do storks return?" }]
      const reply = await ann.post("/api/chat", { messages, documentIds: [documentId] })
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining("March")])
      const { available } = await ann.getJson<{ available: number }>("/api/billing/balance")
      expect(available).toBeLessThan(100)
    } finally {
      await server.stop()
    }
  },
  INSTALL_MS
)
