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
  { source: "packages/core/src/effect.ts", report: "packages/core/public-types/effect.txt" },
  { source: "packages/core/src/adapter.ts", report: "packages/core/public-types/adapter.txt" },
  { source: "packages/core/src/reading.ts", report: "packages/core/public-types/reading.txt" },
  { source: "packages/core/src/webhook.ts", report: "packages/core/public-types/webhook.txt" },
  { source: "packages/core/src/testing/index.ts", report: "packages/core/public-types/testing.txt" },
  { source: "packages/adapters-llm/src/aiSdk/index.ts", report: "packages/adapters-llm/public-types.ai-sdk.txt" },
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
    "adapters-stripe",
    "client",
    "dashboard",
    "react",
    "stripe-stand-in"
  ].map((name) => ({
    source: `packages/${name}/src/index.ts`,
    report: `packages/${name}/public-types.txt`
  }))
]

/** The declarations of every package, compiled. */
export interface Compiled {
  /** The compiler's errors; empty on success. */
  readonly problems: ReadonlyArray<string>
  /** The emitted declaration file of a source. */
  declarationsOf(source: string): string
}

/**
 * Compiles the declarations of every package into a folder that is there while `use` runs, and checks the project `alongside`
 * with them, which extends `tsconfig.publicTypes.json`: both in one go, since each of them needs all sources.
 */
export const withDeclarations = async <A>(
  use: (compiled: Compiled) => A,
  alongside = join(root, "tsconfig.publicTypes.json")
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-public-types-"))
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const compile = promisify(execFile)(process.execPath, [compiler, "-p", alongside, "--outDir", folder], {
      cwd: root
    })
    const said = await compile.then(
      () => "",
      (error: { readonly stdout: string }) => error.stdout
    )
    return use({
      problems: said.split("\n").filter((line) => line !== ""),
      declarationsOf: (source) => join(folder, source.replace(/\.ts$/, ".d.ts"))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The public types of each entry in compiled declarations. */
export const reportsOf = ({ declarationsOf }: Compiled): ReadonlyArray<Entry & { readonly text: string }> =>
  entries.map((entry) => ({ ...entry, text: publicTypes(declarationsOf(entry.source)) }))
