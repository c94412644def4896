import { Console, type Effect } from "effect"
import { Flag } from "effect/cli"

/** The flag `--json`: the result is printed as JSON on stdout, all other output on stderr. */
export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON on stdout"), Flag.withDefault(false))

/** The flag `--dry-run` of commands that write. */
export const dryRunFlag = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Print the planned changes, and change nothing"),
  Flag.withDefault(false)
)

/** Prints a command's result: `value` as JSON, or the lines for people. */
export const printResult = (json: boolean, value: unknown, lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(value, undefined, 2) : lines.join("\n"))

/** Formats rows as columns below their titles, padded to the widest cell, with numbers aligned to the right. */
export const table = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): ReadonlyArray<string> => {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => String(row[column]).length)))
  const line = (cells: ReadonlyArray<string | number>) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  return [line(titles), ...rows.map(line)]
}
