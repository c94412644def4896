import { existsSync, readdirSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/setup/LongestFirst.ts"

/** Cross-package imports resolve to sources, so that no build step precedes the tests. */
const conditions = ["@parley/source"]

/** An embedded database takes about 600 MB and a core while it works, and most files open one. */
const gibibytesPerWorker = 1.5
const workersByMemory = Math.floor(totalmem() / 2 ** 30 / gibibytesPerWorker)
/**
 * More workers than cores, because a worker often waits for a database, a browser or another process. A long test keeps
 * two cores busy by itself: it starts several servers, and fails if they starve.
 */
const workersMax = (isLong: boolean) => {
  const cores = availableParallelism()
  return Math.max(1, Math.min(4, isLong ? Math.floor(cores / 2) : cores + 2, workersByMemory))
}

const root = fileURLToPath(new URL(".", import.meta.url))

/**
 * Projects whose test files share a worker's modules: they keep nothing in modules that another file would meet, so that
 * loading everything anew for each file would only cost time.
 */
const sharedModules = [
  "core",
  "adapters-llm",
  "adapters-crm",
  "adapters-stripe",
  "adapters-s3",
  "adapters-http",
  "adapters-documents",
  "adapters-db",
  "architecture",
  "cli",
  "dashboard",
  "widget"
]

/** Projects whose tests open many embedded databases. */
const embeddingProjects = ["adapters-db", "cli"]

/** Every package and example with a `test` folder, so that the tests of a new one cannot be forgotten. */
const testedFolders = ["packages", "examples"]
  .flatMap((parent) => readdirSync(`${root}${parent}`).map((name) => `${parent}/${name}`))
  .filter((folder) => existsSync(`${root}${folder}/test`))

/** `npm test` runs every `*.test.ts` but the long ones; `npm run test:long` (mode `long`) runs only those. */
export default defineConfig(({ mode }) => {
  const isLong = mode === "long"
  const ending = isLong ? ".long.test.ts" : ".test.ts"
  const project = (name: string, folder: string, below: string) => ({
    resolve: { conditions },
    ssr: { resolve: { conditions: [...conditions, "module", "node", "development|production"] } },
    test: {
      name,
      root: folder,
      include: [`test/${below}*${ending}`],
      exclude: ["**/node_modules/**", "**/dist/**", ...(isLong ? [] : ["**/*.long.test.ts"])],
      environment: "node" as const,
      isolate: !sharedModules.includes(name),
      setupFiles: embeddingProjects.includes(name) ? [`${root}test/setup/keptEngine.ts`] : [],
      // What a busy machine does late is not wrong: only what hangs is ended.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } }
    }
  })
  return {
    test: {
      maxWorkers: workersMax(isLong),
      sequence: { sequencer: LongestFirst },
      globalSetup: [
        "test/setup/promisedDatabase.ts",
        "test/setup/templateDatabase.ts",
        "test/setup/builtDashboard.ts",
        "test/setup/builtWidget.ts",
        "test/setup/preparedDatabase.ts",
        "test/setup/bundledProgram.ts"
      ],
      projects: [
        ...testedFolders.map((folder) => project(basename(folder), folder, "**/")),
        project("architecture", ".", "")
      ]
    }
  }
})
