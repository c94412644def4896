import { execFile } from "node:child_process"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { copyRepository } from "../../../../test/support/copyRepository.ts"
import { FakeOpenAi } from "../../../../test/support/FakeOpenAi.ts"
import { codeBlocks } from "../../../../tooling/docs/codeBlocks.ts"
import { KeyServer, makeKey } from "../../../adapters-http/test/support/KeyServer.ts"
import { CrashRig, hasPostgres } from "../crash/CrashRig.ts"
import { openPort } from "./ports.ts"

const run = promisify(execFile)
const PAGE = "docs/deploy/production.md"
const MINUTES_AT_MOST = 10

/** The names of the page, and what stands for them on this machine. */
type Places = Readonly<Record<string, string>>

/** The page's commands, whose order is that of the page. */
const commandsOfPage = (places: Places): string => {
  const text = codeBlocks()
    .filter(({ language, path }) => path === PAGE && language === "sh")
    .map((block) => block.text)
    .join("\n")
  return Object.entries(places).reduce((script, [name, place]) => {
    expect(script, name).toContain(name)
    return script.replaceAll(name, place)
  }, text)
}

/** A newcomer's shell: the system's npm and Node, without the environment that npm sets for this test. */
const newcomer = (token: string): NodeJS.ProcessEnv => {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
  const kept = Object.entries(process.env).filter(([name]) => /^(HOME|USER|LANG|npm_config_userconfig)$/i.test(name))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), TOKEN: token }
}

describe.runIf(hasPostgres)("the page on going to production", () => {
  it(
    `leads from an empty folder to a fulfilled checklist and the first reply within ${MINUTES_AT_MOST} minutes`,
    { timeout: 900_000 },
    async ({ annotate }) => {
      await using rig = new CrashRig()
      await using vendor = new FakeOpenAi()
      const key = await makeKey("RS256")
      await using provider = await KeyServer.start(key)
      const now = Math.floor(Date.now() / 1_000)
      const token = await key.sign({ iss: provider.issuer, aud: "parley", sub: "ann", iat: now, exp: now + 3_600 }, {})
      const source = join(rig.folder, "source")
      await copyRepository(source)
      const port = String(await openPort())
      const script = commandsOfPage({
        "git clone --depth 1 https://github.com/parley-ai/parley.git parley": `cp -a ${source} parley`,
        "postgres://parley:password@db.example.com:5432/parley?sslmode=verify-full": `${rig.environment["DATABASE_URL"]}\nPARLEY_DB_SCHEMA=${rig.schema}`,
        "https://id.example.com": provider.issuer,
        "sk-example": `sk-example\nOPENAI_BASE_URL=${await vendor.start()}`,
        "3000": port,
        "9464": String(await openPort())
      })
      const began = performance.now()
      // The server and the worker end with the shell: they are in a process group of its own.
      const end = `end() { trap "" TERM; kill 0; wait; }; trap end EXIT`
      const { stdout } = await run("setsid", ["--wait", "bash", "-c", `set -euo pipefail\n${end}\n${script}`], {
        cwd: rig.folder,
        env: newcomer(token),
        maxBuffer: 2 ** 26
      })
      const minutes = (performance.now() - began) / 60_000
      await annotate(`${minutes.toFixed(1)} minutes to the first reply`)
      expect(stdout).toMatch(/^ok +workers /m)
      expect(stdout.trim()).toMatch(/Hello there$/)
      expect(minutes).toBeLessThan(MINUTES_AT_MOST)
      await rig.connectionsGone()
    }
  )
})
