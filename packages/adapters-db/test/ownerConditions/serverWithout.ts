/**
 * Loaded into a server's process before its own modules: its statements lose their conditions on the owner. When the
 * process ends, it writes what it sent to the file that `REPORT` names.
 */
import { writeFileSync } from "node:fs"
import pg from "pg"
import { newRemoval, removeFromClient } from "./statementsWithout.ts"

/** What a server without conditions on the owner has sent and read as the role of a person. */
export interface ServerReport {
  /** The statements that had conditions on the owner. */
  readonly statements: ReadonlyArray<string>
  /** Those whose conditions could not be removed. */
  readonly missed: ReadonlyArray<string>
  /** Those whose result held the mark of another person. */
  readonly foreign: ReadonlyArray<string>
}

/** The variables of the process: the file of the report, and a text that is in all rows of another person. */
export const REPORT = "OWNER_CONDITIONS_REPORT"
export const MARK = "OWNER_CONDITIONS_MARK"

const file = process.env[REPORT]
const mark = process.env[MARK] ?? ""

const plain = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null || !("type" in value) || value.type !== "Buffer") return value
  return Buffer.from(value as unknown as Buffer).toString("latin1")
}

if (file !== undefined) {
  const removal = newRemoval()
  const foreign = new Set<string>()
  const { emit } = pg.Pool.prototype
  pg.Pool.prototype.emit = function (this: pg.Pool, event: string | symbol, ...values: Array<unknown>) {
    if (event === "connect") {
      removeFromClient(values[0] as pg.Client, removal, (text, rows) => {
        if (JSON.stringify(rows, plain).includes(mark)) foreign.add(text)
      })
    }
    return emit.call(this, event, ...values)
  }
  process.once("exit", () => {
    const report: ServerReport = {
      statements: [...removal.statements],
      missed: [...removal.missed],
      foreign: [...foreign]
    }
    writeFileSync(file, JSON.stringify(report))
  })
}
