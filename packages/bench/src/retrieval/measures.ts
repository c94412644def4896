import type { ReferenceSpan } from "./collection.ts"

type Grades = ReadonlyMap<string, number>

const discounted = (grades: ReadonlyArray<number>): number =>
  grades.reduce((sum, grade, rank) => sum + Math.max(0, grade) / Math.log2(rank + 2), 0)

/**
 * Returns the normalised discounted cumulative gain of the first `depth` documents. The gain is the grade itself, as in
 * trec_eval's `ndcg_cut` (Järvelin and Kekäläinen, TOIS 20, 2002). Undefined if no document is relevant.
 */
export const ndcgAt = (depth: number, ranked: ReadonlyArray<string>, grades: Grades): number | undefined => {
  const best = discounted([...grades.values()].toSorted((one, other) => other - one).slice(0, depth))
  if (best === 0) return undefined
  return discounted(ranked.slice(0, depth).map((document) => grades.get(document) ?? 0)) / best
}

/**
 * Returns the share of the relevant documents that is among the first `depth`. Undefined if no document is relevant.
 */
export const recallAt = (depth: number, ranked: ReadonlyArray<string>, grades: Grades): number | undefined => {
  const relevant = [...grades].filter(([, grade]) => grade > 0).map(([document]) => document)
  if (relevant.length === 0) return undefined
  const found = new Set(ranked.slice(0, depth))
  return relevant.filter((document) => found.has(document)).length / relevant.length
}

/** Returns the first `count` spans, cut off after `units` UTF-16 units in all. */
export const firstSpans = (
  spans: ReadonlyArray<ReferenceSpan>,
  count: number,
  units = Number.POSITIVE_INFINITY
): ReadonlyArray<ReferenceSpan> => {
  const kept: Array<ReferenceSpan> = []
  let left = units
  for (const span of spans.slice(0, count)) {
    const end = Math.min(span.end, span.start + left)
    if (end <= span.start) break
    kept.push({ ...span, end })
    left -= end - span.start
  }
  return kept
}

/** Returns the parts of a document that `spans` cover, in order and without overlaps. */
const coveredOf = (spans: ReadonlyArray<ReferenceSpan>, documentId: string): ReadonlyArray<ReferenceSpan> => {
  const parts: Array<{ documentId: string; start: number; end: number }> = []
  const sorted = spans.filter((span) => span.documentId === documentId).toSorted((a, b) => a.start - b.start)
  for (const span of sorted) {
    const last = parts.at(-1)
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else parts.push({ ...span })
  }
  return parts
}

const lengthOf = (spans: ReadonlyArray<ReferenceSpan>): number =>
  spans.reduce((sum, { start, end }) => sum + (end - start), 0)

/** Returns the share of the reference's characters that the found spans contain. Undefined if there is no reference. */
export const spanRecall = (
  reference: ReadonlyArray<ReferenceSpan>,
  found: ReadonlyArray<ReferenceSpan>
): number | undefined => {
  let all = 0
  let covered = 0
  for (const documentId of new Set(reference.map((span) => span.documentId))) {
    const wanted = coveredOf(reference, documentId)
    const had = coveredOf(found, documentId)
    all += lengthOf(wanted)
    for (const { start, end } of wanted) {
      for (const part of had) covered += Math.max(0, Math.min(end, part.end) - Math.max(start, part.start))
    }
  }
  return all === 0 ? undefined : covered / all
}

/** Returns the mean of the defined values; undefined if there are none. */
export const meanOf = (values: ReadonlyArray<number | undefined>): number | undefined => {
  const defined = values.filter((value) => value !== undefined)
  return defined.length === 0 ? undefined : defined.reduce((sum, value) => sum + value, 0) / defined.length
}
