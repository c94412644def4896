import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** A folder as `npm run bench:retrieval` reads it, and the least nDCG@10 that ranking has to have on it. */
const folder = process.env["PARLEY_COLLECTION"]
const least = Number(process.env["PARLEY_COLLECTION_NDCG"] ?? "0.38")

it.runIf(folder !== undefined)(
  "ranking is as good as it was on the collection of PARLEY_COLLECTION",
  async () => {
    expect(existsSync(join(folder ?? "", "docs.jsonl"))).toBe(true)
    const flags = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
    const script = join(root, "packages/bench/src/retrievalBench.ts")
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, folder ?? "", "--json"], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024
    })
    const measured = JSON.parse(stdout) as { readonly "ndcg@10": number }
    expect(measured["ndcg@10"]).toBeGreaterThanOrEqual(least)
  },
  900_000
)
