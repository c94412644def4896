import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type pg from "pg"
import type { Contender } from "./Contender.ts"

const run = promisify(execFile)

/** The shortest run: in one second, pgbench with 64 clients may end before its first transaction. */
const LEAST_SECONDS = 3

/**
 * Measures the server's rate of commits with almost no work: pgbench with one small update in each transaction, and two
 * transactions for each pair. Undefined if pgbench is not installed.
 */
export const makeCommitRate = async (name: string, url: string, admin: pg.Client): Promise<Contender | undefined> => {
  try {
    await run("pgbench", ["--version"])
  } catch {
    return undefined
  }
  await admin.query(`
    CREATE TABLE commit_rate (id bigint PRIMARY KEY, writes bigint NOT NULL) WITH (fillfactor = 80);
    INSERT INTO commit_rate SELECT number, 0 FROM generate_series(0, 9999) AS number;
    ANALYZE commit_rate`)
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
  let written = 0
  return {
    name,
    drive: async ({ accounts }, callers, milliseconds) => {
      const script = join(folder, `${accounts}.sql`)
      writeFileSync(
        script,
        `\\set id random(0, ${accounts - 1})\nUPDATE commit_rate SET writes = writes + 1 WHERE id = :id;\n`
      )
      const seconds = String(Math.max(LEAST_SECONDS, Math.round(milliseconds / 1000)))
      const { stdout } = await run("pgbench", [
        ...["--no-vacuum", "--client", String(callers), "--jobs", "2", "--protocol", "prepared"],
        ...["--time", seconds, "--file", script, url]
      ])
      if (!stdout.includes("tps = ")) throw new Error(`pgbench gave no rate: ${stdout}`)
      const transactions = Number(/actually processed: (\d+)/.exec(stdout)?.[1])
      written += transactions
      const rate = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
      return (rate / 2) * (milliseconds / 1000)
    },
    check: async () => {
      const { rows } = await admin.query<{ total: string }>("SELECT sum(writes) AS total FROM commit_rate")
      if (Number(rows[0]?.total) !== written) throw new Error(`${name}: ${written} commits left ${rows[0]?.total}.`)
    },
    close: () => Promise.resolve(rmSync(folder, { recursive: true, force: true }))
  }
}
