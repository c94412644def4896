import { availableParallelism, totalmem } from "node:os"
import { defineConfig } from "vitest/config"

/** Cross-package imports resolve to sources, so that no build step precedes the tests. */
const conditions = ["@parley/source"]

/** An embedded database takes about 600 MB and a core while it works, and most files open one. */
const gibibytesPerWorker = 1.5
const workersByMemory = Math.floor(totalmem() / 2 ** 30 / gibibytesPerWorker)
const workersMax = Math.max(1, Math.min(4, Math.max(2, availableParallelism() - 1), workersByMemory))

const longTests = "**/*.long.test.ts"

const project = (name: string, root: string, include: string, exclude: ReadonlyArray<string>) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, "module", "node", "development|production"] } },
  test: {
    name,
    root,
    include: [include],
    exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
    environment: "node" as const,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})

/** `npm test` runs every `*.test.ts` but the long ones; `npm run test:long` (mode `long`) runs only those. */
export default defineConfig(({ mode }) => {
  const ending = mode === "long" ? ".long.test.ts" : ".test.ts"
  const exclude = mode === "long" ? [] : [longTests]
  return {
    test: {
      maxWorkers: workersMax,
      globalSetup: ["test/setup/promisedDatabase.ts"],
      projects: [
        project("core", "packages/core", `test/**/*${ending}`, exclude),
        project("adapters-db", "packages/adapters-db", `test/**/*${ending}`, exclude),
        project("adapters-llm", "packages/adapters-llm", `test/**/*${ending}`, exclude),
        project("adapters-documents", "packages/adapters-documents", `test/**/*${ending}`, exclude),
        project("adapters-http", "packages/adapters-http", `test/**/*${ending}`, exclude),
        project("cli", "packages/cli", `test/**/*${ending}`, exclude),
        project("dashboard", "examples/dashboard", `test/**/*${ending}`, exclude),
        project("architecture", ".", `test/*${ending}`, exclude)
      ]
    }
  }
})
