import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { projectFiles } from "../src/projectFiles.ts"
import { combinations, nameOf } from "./combinations.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

it("the written projects compile with every database and sign-in, in Express and in Next.js", async () => {
  mkdirSync(join(root, ".cache"), { recursive: true })
  const projects = mkdtempSync(join(root, ".cache/create-"))
  const compiled = combinations.filter(({ framework }) => framework === "express" || framework === "next")
  expect(compiled).toHaveLength(12)
  try {
    const files = compiled.flatMap((choices) =>
      [...projectFiles("app", choices, "s")]
        .filter(([path]) => /\.tsx?$/.test(path))
        .map(([path, text]) => {
          const file = join(projects, nameOf(choices), path)
          mkdirSync(dirname(file), { recursive: true })
          writeFileSync(file, text)
          return file
        })
    )
    const config = join(projects, "tsconfig.json")
    writeFileSync(join(projects, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.test.json"), include: [], files }))
    const said = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config]).then(
      () => "",
      (error: { readonly stdout: string }) => error.stdout
    )
    expect(said).toBe("")
  } finally {
    rmSync(projects, { recursive: true, force: true })
  }
  // It compiles the sources of all packages.
}, 600_000)
