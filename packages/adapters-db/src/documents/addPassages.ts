import { type Generation, type Passage, searchableText, storableText } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, Sql } from "../database/Database.ts"
import { generationGone, generationParams } from "./buildGeneration.ts"
import type { GenerationSql } from "./generationSql.ts"

/** The most passages of a block. One row of postings speaks of a block at most. */
const BLOCK_PASSAGES = 128
/** Different words in a block, about: each is a row, and a text that repeats none has many. */
const BLOCK_WORDS = 4_000
/** Rows of postings that one statement writes. */
const POSTINGS_PER_STATEMENT = 500

/** A passage as it is written, with the words it is found by. */
interface PassageRecord extends Passage {
  readonly searchable: string
}

interface TermRow extends Record<string, unknown> {
  readonly term: string
  /** Indexes into the block's passages. */
  readonly places: ReadonlyArray<number>
  readonly frequencies: ReadonlyArray<number>
}

/** Passages in blocks, each written in a transaction that ends soon. */
function* blocksOf(passages: ReadonlyArray<Passage>): Generator<ReadonlyArray<PassageRecord>> {
  let block: Array<PassageRecord> = []
  let words = new Set<string>()
  for (const passage of passages) {
    const record = { ...passage, text: storableText(passage.text), searchable: searchableText(passage.text) }
    block.push(record)
    for (const word of record.searchable.split(" ")) words.add(word)
    if (block.length < BLOCK_PASSAGES && words.size < BLOCK_WORDS) continue
    yield block
    block = []
    words = new Set()
  }
  if (block.length > 0) yield block
}

/** How many terms each of the block's passages has. */
const lengthsOf = (block: ReadonlyArray<PassageRecord>, terms: ReadonlyArray<TermRow>): ReadonlyArray<number> => {
  const lengths = block.map(() => 0)
  for (const { places, frequencies } of terms) {
    places.forEach((place, index) => (lengths[place]! += frequencies[index]!))
  }
  return lengths
}

const writeBlock = Effect.fnUntraced(function* (
  sql: Sql,
  text: GenerationSql,
  key: ReadonlyArray<unknown>,
  block: ReadonlyArray<PassageRecord>
) {
  const terms = yield* sql.query<TermRow>(text.findTerms, [block.map(({ searchable }) => searchable)])
  const lengths = lengthsOf(block, terms)
  const passages = block.flatMap((each, place) => [
    each.ordinal,
    each.page,
    each.start,
    each.end,
    each.text,
    lengths[place]
  ])
  yield* sql.query(text.addPassages(block.length), [...key, ...passages])
  for (let from = 0; from < terms.length; from += POSTINGS_PER_STATEMENT) {
    const some = terms.slice(from, from + POSTINGS_PER_STATEMENT)
    const postings = some.flatMap(({ term, places, frequencies }) => [
      term,
      places.map((place) => block[place]?.ordinal),
      frequencies,
      places.map((place) => lengths[place])
    ])
    yield* sql.query(text.addPostings(some.length), [...key, block[0]?.ordinal, ...postings])
  }
  const added = lengths.reduce((sum, length) => sum + length, 0)
  yield* sql.query(text.countAdded, [...key, block.length, added])
})

/**
 * `PassageIndex.add`, block by block, each in a transaction under the lock of the generation's row: it writes what the
 * generation lacks, so that writers of the same passages, also at the same moment, write each once.
 */
export const addPassages = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation,
  passages: ReadonlyArray<Passage>
) {
  const key = generationParams(generation)
  for (const block of blocksOf(passages)) {
    yield* database.asService((sql) =>
      Effect.gen(function* () {
        const [found] = yield* sql.query<{ active: boolean; passages: number }>(text.lockGeneration, key)
        if (found === undefined) return yield* generationGone(generation)
        const rest = block.filter(({ ordinal }) => ordinal >= found.passages)
        const [first] = rest
        if (first === undefined) return
        if (found.active) return yield* generationGone(generation)
        if (first.ordinal !== found.passages) {
          return yield* Effect.die(new Error(`Passage ${first.ordinal} was added where ${found.passages} was due.`))
        }
        yield* writeBlock(sql, text, key, rest)
      })
    )
  }
})
