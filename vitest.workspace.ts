import { defineConfig } from "vitest/config"

/** Cross-package imports resolve to sources, so that no build step precedes the tests. */
const conditions = ["@parley/source"]

const project = (name: string, root: string, include = "test/**/*.test.ts") => ({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, "module", "node", "development|production"] } },
  test: {
    name,
    root,
    include: [include],
    environment: "node" as const,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})

export default defineConfig({
  test: {
    projects: [
      project("core", "packages/core"),
      project("adapters-db", "packages/adapters-db"),
      project("adapters-llm", "packages/adapters-llm"),
      project("adapters-documents", "packages/adapters-documents"),
      project("adapters-http", "packages/adapters-http"),
      project("cli", "packages/cli"),
      project("dashboard", "examples/dashboard"),
      project("architecture", ".", "test/*.test.ts")
    ]
  }
})
