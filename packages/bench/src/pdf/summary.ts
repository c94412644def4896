import { median } from "../measuring/statistics.ts"
import type { Comparison } from "./comparison.ts"

/** A file with the figures of the text that Parley has read from it. */
export interface ReadPdf extends Comparison {
  readonly file: string
  readonly seconds: number
  readonly headings: number
  /** A sentence about missing parts: the notice, or the reason why nothing was read. */
  readonly missing?: string
}

/** The goal: at least the share `files` of all files keep at least the share `letters` of their letters. */
const GOAL = { files: 0.98, letters: 0.98 } as const

const KINDS = [
  ["latin", "Latin"],
  ["arabic", "Arabic"],
  ["cjk", "Chinese, Japanese, Korean"],
  ["other", "other scripts"]
] as const

const percent = (share: number): string => (Number.isNaN(share) ? "-" : `${(share * 100).toFixed(1)} %`)
const isJudged = ({ letters }: ReadPdf): boolean => letters !== undefined
const isKept = ({ letters = 1 }: ReadPdf): boolean => letters >= GOAL.letters
const present = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  values.filter((value) => value !== undefined)
const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const rowOf = (name: string, files: ReadonlyArray<ReadPdf>): string => {
  const lost = files.filter((file) => !isKept(file))
  const order = present(files.map((file) => file.order))
  const rows = present(files.map((file) => file.rows))
  return `| ${[
    name,
    files.length,
    files.length - lost.length,
    lost.filter(({ missing }) => missing !== undefined).length,
    percent(mean(order)),
    percent(median(order)),
    `${percent(mean(rows))} of ${rows.length}`,
    files.filter(({ headings }) => headings > 0).length
  ].join(" | ")} |`
}

/** Returns a table of the kinds of files, and whether the goal is met. */
export const summaryOf = (all: ReadonlyArray<ReadPdf>) => {
  const files = all.filter(isJudged)
  const ofKind = KINDS.map(([kind, name]) => [name, files.filter(({ script }) => script === kind)] as const)
  const lost = files.filter((file) => !isKept(file))
  return {
    isMet: lost.length <= files.length * (1 - GOAL.files),
    lines: [
      "| most letters | files | 98 % of letters kept | others that say so | order, mean | order, median | rows of tables | with headings |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      ...ofKind.filter(([, some]) => some.length > 0).map(([name, some]) => rowOf(name, some)),
      rowOf("all", files),
      `${percent(1 - lost.length / files.length)} of the files keep 98 % of their letters; ${all.length - files.length} have too few.`
    ]
  }
}

const line = (share: number | undefined, { file, missing = "" }: ReadPdf): string =>
  `${percent(share ?? Number.NaN).padStart(8)}  ${file}  ${missing}`

/** Returns the worst files by each figure. */
export const worstOf = (all: ReadonlyArray<ReadPdf>, count: number): ReadonlyArray<string> =>
  (["letters", "order", "rows"] as const).flatMap((figure) => [
    "",
    `worst by ${figure}:`,
    ...all
      .filter((file) => isJudged(file) && file[figure] !== undefined)
      .toSorted((one, other) => (one[figure] ?? 1) - (other[figure] ?? 1))
      .slice(0, count)
      .map((file) => line(file[figure], file))
  ])
