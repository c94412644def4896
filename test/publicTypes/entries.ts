import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { publicTypes } from "./report.ts"

/** An entry of a published package, and the file that keeps its public types. Both from the root of the repository. */
export interface Entry {
  readonly source: string
  readonly report: string
}

export const root = fileURLToPath(new URL("../..", import.meta.url))

export const entries: ReadonlyArray<Entry> = [
  { source: "packages/core/src/index.ts", report: "packages/core/public-types/core.txt" },
  { source: "packages/core/src/adapter.ts", report: "packages/core/public-types/adapter.txt" },
  { source: "packages/core/src/reading.ts", report: "packages/core/public-types/reading.txt" },
  { source: "packages/core/src/testing/index.ts", report: "packages/core/public-types/testing.txt" },
  { source: "packages/adapters-stripe/src/index.ts", report: "packages/adapters-stripe/public-types/stripe.txt" },
  {
    source: "packages/adapters-stripe/src/stand-in/index.ts",
    report: "packages/adapters-stripe/public-types/stand-in.txt"
  },
  ...["files", "index", "react"].map((name) => ({
    source: `packages/widget/src/${name}.ts`,
    report: `packages/widget/public-types/${name}.txt`
  })),
  ...[
    "adapters-crm",
    "adapters-db",
    "adapters-documents",
    "adapters-http",
    "adapters-llm",
    "adapters-s3",
    "dashboard"
  ].map((name) => ({
    source: `packages/${name}/src/index.ts`,
    report: `packages/${name}/public-types.txt`
  }))
]

/** The public types of each entry as the sources have them now. Compiles the declarations into a folder of its own. */
export const currentReports = async (): Promise<ReadonlyArray<Entry & { readonly text: string }>> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-public-types-"))
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const project = join(root, "tsconfig.publicTypes.json")
    await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", folder], { cwd: root })
    return entries.map((entry) => ({
      ...entry,
      text: publicTypes(join(folder, entry.source.replace(/\.ts$/, ".d.ts")))
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
