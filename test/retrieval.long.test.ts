import { execFile } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** Questions about this repository, with the text that answers each. */
const QUESTIONS: ReadonlyArray<readonly [question: string, file: string]> = [
  ["What happens to credits when a subscription is cancelled or a payment is disputed?", "docs/billing.md"],
  ["How do I connect HubSpot or Pipedrive?", "docs/crm.md"],
  ["Which attacks on visitors' conversations were thought of?", "docs/threats.md"],
  ["keep uploaded files in S3 or what speaks like it", "packages/adapters-s3/README.md"],
  ["stand-in for Stripe with a clock for tests", "packages/stripe-stand-in/README.md"],
  ["a parser process that is killed while it reads a pdf", "packages/adapters-documents/README.md"],
  ["Postgres roles, row level security and statement timeouts", "packages/adapters-db/README.md"],
  ["put the chat widget on my own page with one line", "packages/widget/README.md"],
  ["pairs of reserve and settle per second against plain SQL", "packages/bench/README.md"],
  ["exit codes of the command line", "packages/cli/README.md"],
  ["how passages are cut and ranked by BM25 with feedback", "packages/core/src/documents/README.md"]
]

const temporary = mkdtempSync(join(tmpdir(), "parley-collection-"))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const lines = (records: ReadonlyArray<unknown>): string => records.map((each) => JSON.stringify(each)).join("\n")

/** The texts of this repository as a collection, used if no other is configured. */
const ownCollection = (): string => {
  const files = globSync(["docs/*.md", "packages/*/README.md", "packages/core/src/*/README.md"], { cwd: root })
  const documents = files.map((id) => ({ id, title: id, text: readFileSync(join(root, id), "utf8") }))
  writeFileSync(join(temporary, "docs.jsonl"), lines(documents))
  writeFileSync(join(temporary, "queries.jsonl"), lines(QUESTIONS.map(([text], place) => ({ id: `${place}`, text }))))
  writeFileSync(join(temporary, "qrels.tsv"), QUESTIONS.map(([, file], place) => `${place}\t${file}\t1`).join("\n"))
  return temporary
}

/** A folder as `npm run bench:retrieval` reads it, and the least nDCG@10 that ranking has to have on it. */
const given = process.env["PARLEY_COLLECTION"]
const folder = given ?? ownCollection()
const least = Number(process.env["PARLEY_COLLECTION_NDCG"] ?? (given === undefined ? "0.8" : "0.38"))

it("ranking is as good as it was, on the collection of PARLEY_COLLECTION or on this repository's own texts", async () => {
  const flags = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
  const script = join(root, "packages/bench/src/retrievalBench.ts")
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, folder, "--json"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024
  })
  const measured = JSON.parse(stdout) as { readonly "ndcg@10": number }
  expect(measured["ndcg@10"]).toBeGreaterThanOrEqual(least)
}, 900_000)
