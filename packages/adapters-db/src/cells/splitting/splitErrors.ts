import { Schema } from "effect"

const PROBLEMS = [
  "is-cell",
  "not-buckets",
  "not-copy",
  "not-following",
  "promoted-early",
  "source-lost",
  "cancelled"
] as const

/** A cell was not split: its people live where they did before. */
export class SplitRefused extends Schema.TaggedError<SplitRefused>()("SplitRefused", {
  problem: Schema.Literals(PROBLEMS),
  /** The cell that was to be split. */
  cell: Schema.String,
  target: Schema.String
}) {
  readonly code = "split_refused"
  override get message() {
    const { cell, target } = this
    switch (this.problem) {
      case "is-cell":
        return `${target} is a cell already. Give it people with "parley cells assign", or split ${cell} to a replica of it.`
      case "not-buckets":
        return `The cell ${cell} lacks some of these buckets, has only one bucket, or is being split to another cell or with other buckets. "parley cells list" shows what it has.`
      case "not-copy":
        return `The database of ${target} is no replica of the cell ${cell}. Make a streaming replica of it, and name it in PARLEY_CELLS.`
      case "not-following":
        return `The replica ${target} is behind the cell ${cell}, or does not follow it. Wait until it follows, and try again.`
      case "promoted-early":
        return `The replica ${target} was promoted before it had all rows, and cannot be used. Make a new one, and promote it only when the command says so.`
      case "source-lost":
        return `The cell ${cell} has lost its last changes, for example by a failover, and people may have written there since. The replica ${target} cannot be used. Make a new one.`
      case "cancelled":
        return `The split was cancelled, because its command was not seen running for some minutes. If ${target} is promoted already, make a new replica.`
    }
  }
}
