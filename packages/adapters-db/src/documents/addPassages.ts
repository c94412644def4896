import {
  type Embedder,
  type Generation,
  NOTHING_EMBEDDED,
  type Passage,
  passageWords,
  storableText
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, Sql } from "../database/Database.ts"
import { generationGone, generationParams } from "./buildGeneration.ts"
import type { GenerationSql } from "./generationSql.ts"
import { headingsValue } from "./headingsValue.ts"
import { keepEmbeddings } from "./keepEmbeddings.ts"
import type { FindPassageTerms } from "./passageTerms.ts"

/** The most passages of a block. One row of postings speaks of a block at most. */
const BLOCK_PASSAGES = 128
/** Different words in a block, about: each is a row, and a text that repeats none has many. */
const BLOCK_WORDS = 4_000
/** Rows of postings that one statement writes. */
const POSTINGS_PER_STATEMENT = 2_000

/** A passage as it is written, with the words it is found by. */
interface PassageRecord extends Passage {
  readonly words: string
}

interface GenerationRow extends Record<string, unknown> {
  readonly active: boolean
  readonly passages: number
  readonly language: string
}

/** Passages in blocks, each written in a transaction that ends soon. */
function* blocksOf(passages: ReadonlyArray<Passage>): Generator<ReadonlyArray<PassageRecord>> {
  let block: Array<PassageRecord> = []
  let words = new Set<string>()
  for (const passage of passages) {
    const record = { ...passage, text: storableText(passage.text), words: passageWords(passage) }
    block.push(record)
    for (const word of record.words.split(" ")) words.add(word)
    if (block.length < BLOCK_PASSAGES && words.size < BLOCK_WORDS) continue
    yield block
    block = []
    words = new Set()
  }
  if (block.length > 0) yield block
}

/** The most that the 16 bits of an entry hold. */
const MAX_COUNT = 65_535n
const count = (value: number): bigint => (BigInt(value) > MAX_COUNT ? MAX_COUNT : BigInt(value))

/** A passage in the entries of a term, as the table of postings has it. */
const entry = (ordinal: number, frequency: number, length: number): string =>
  String((BigInt(ordinal) << 32n) | (count(frequency) << 16n) | count(length))

const writeBlock = Effect.fnUntraced(function* (
  sql: Sql,
  text: GenerationSql,
  {
    block,
    findTerms,
    key,
    language
  }: {
    readonly block: ReadonlyArray<PassageRecord>
    readonly findTerms: FindPassageTerms
    readonly key: ReadonlyArray<unknown>
    readonly language: string
  }
) {
  const words = block.map((passage) => passage.words)
  const { passages: found, postings } = yield* findTerms(sql, language, words)
  const passages = block.flatMap((each, place) => [
    each.ordinal,
    each.page,
    each.start,
    each.end,
    each.text,
    headingsValue(each.headings),
    found[place]?.length,
    found[place]?.terms.join(" "),
    found[place]?.frequencies.join(" ")
  ])
  yield* sql.query(text.addPassages(block.length), [...key, ...passages])
  for (let from = 0; from < postings.length; from += POSTINGS_PER_STATEMENT) {
    const some = postings.slice(from, from + POSTINGS_PER_STATEMENT)
    const values = some.flatMap(({ frequencies, places, term }) => [
      term,
      `{${places.map((place, index) => entry(block[place]!.ordinal, frequencies[index]!, found[place]!.length)).join(",")}}`
    ])
    yield* sql.query(text.addPostings(some.length), [...key, block[0]?.ordinal, ...values])
  }
  const added = found.reduce((sum, { length }) => sum + length, 0)
  yield* sql.query(text.countAdded, [...key, block.length, added])
})

export interface AddPassages {
  readonly generation: Generation
  readonly passages: ReadonlyArray<Passage>
  readonly embedder: Embedder["Service"] | undefined
  readonly findTerms: FindPassageTerms
}

/**
 * `PassageIndex.add`: all embeddings first, before anything is locked; then block by block, each in a transaction under the lock of the generation's row: it writes what the
 * generation lacks, so that writers of the same passages, also at the same moment, write each once.
 */
export const addPassages = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  { embedder, findTerms, generation, passages }: AddPassages
) {
  const key = generationParams(generation)
  const added = embedder && (yield* keepEmbeddings(database, text, { embedder, generation, passages }))
  const lock = (yield* database.inTransaction) ? text.lockGeneration : text.lockGenerationToAdd
  for (const block of blocksOf(passages)) {
    yield* database.asService((sql) =>
      Effect.gen(function* () {
        const [found] = yield* sql.query<GenerationRow>(lock, key)
        if (found === undefined) return yield* generationGone(generation)
        const rest = block.filter(({ ordinal }) => ordinal >= found.passages)
        const [first] = rest
        if (first === undefined) return
        if (found.active) return yield* generationGone(generation)
        if (first.ordinal !== found.passages) {
          return yield* Effect.die(new Error(`Passage ${first.ordinal} was added where ${found.passages} was due.`))
        }
        yield* writeBlock(sql, text, { block: rest, findTerms, key, language: found.language })
      })
    )
  }
  return added ?? NOTHING_EMBEDDED
})
