import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { expect } from "vitest"
import { migratedPostgres } from "../../packages/adapters-db/test/databases.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

/** The programs that run in memory: each has `src/main.ts`, and its output is `expected.txt`. */
export const inMemory = ["effect-layers", "fetch-handler", "metering", "own-vendor"]

/** A file of the examples. */
export const readExample = (path: string): string => readFileSync(`${root}examples/${path}`, "utf8")

/** On a busy machine a program also logs which statements were slow. */
const SLOW = /^\[[\d:.]+\] WARN \(#\d+\): A statement was slow\. \{\n(?: .*\n)*\}\n/gm

/** The output of a program without the log of slow statements. */
export const withoutSlow = (output: string): string => output.replaceAll(SLOW, "")

/** Compares a program's output with its `expected.txt` and with its README. */
export const expectOutput = (name: string, output: string): void => {
  const expected = readExample(`${name}/expected.txt`)
  expect(withoutSlow(output)).toBe(expected)
  expect(readExample(`${name}/README.md`)).toContain(`\`\`\`\n${expected}\`\`\``)
}

/** Runs a program in a process of its own, on a database of its own; returns its output. */
export const runOnPostgres = (name: string): Promise<string> =>
  Effect.gen(function* () {
    const url = yield* migratedPostgres
    const argv = [
      "--conditions=@parley/source",
      "--disable-warning=ExperimentalWarning",
      `examples/${name}/src/main.ts`
    ]
    const env = { ...process.env, NO_COLOR: "1", DATABASE_URL: url }
    return (yield* Effect.promise(() => run(process.execPath, argv, { cwd: root, env }))).stdout
  }).pipe(Effect.scoped, Effect.runPromise)
