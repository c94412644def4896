import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const program = "examples/minimal/src/main.ts"

describe("the minimal example", () => {
  it("quotes the document, names its source and shows the balance fall", async () => {
    const { DATABASE_URL: _ignored, ...env } = process.env
    const run = promisify(execFile)(process.execPath, ["--conditions=@parley/source", program], { cwd: root, env })
    const { stdout } = await run
    expect(stdout).toContain("“Storks return to Alsace in March and nest on chimneys.” [1]")
    expect(stdout).toContain("filename: 'storks.txt'")
    expect(stdout).toContain("available: 99")
  })

  it("is the program that the README of the repository shows", async () => {
    const readme = await readFile(`${root}README.md`, "utf8")
    const shown = /```ts\n([^`]*)```/.exec(readme)?.[1]
    expect(shown).toBe(await readFile(`${root}${program}`, "utf8"))
  })
})
