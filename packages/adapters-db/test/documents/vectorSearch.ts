import { PassageEmbedder, PassageIndex } from "@parley/core/adapter"
import { makeEmbedderScript, scriptedEmbedder } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import {
  Database,
  DatabaseOwner,
  ExactSearchPassages,
  PgDocumentStoreLayer,
  PgPassageIndexLayer
} from "../../src/index.ts"

export const DIMENSIONS = 8
export const PASSAGES = 60
const NAME = "seeded/vectors"
export const MODEL = `${NAME}/${DIMENSIONS}`

/** Numbers between -1 and 1 without a pattern that matters, the same for the same seed. */
export const seededNumbers = (seed: number, count: number = DIMENSIONS): ReadonlyArray<number> => {
  let state = (seed + 1) * 2_654_435_761
  return Array.from({ length: count }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return Math.fround(((state ^ (state >>> 15)) >>> 0) / 2 ** 31 - 1)
  })
}

/** A point in one of twenty clusters. */
export const vectorOf = (seed: number): ReadonlyArray<number> => {
  const own = seededNumbers(seed)
  return seededNumbers(1_000_000 + (seed % 20)).map((centre, place) => Math.fround(centre + 0.4 * (own[place] ?? 0)))
}

export const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number =>
  one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0) / (Math.hypot(...one) * Math.hypot(...other))

/** A question is a number, which no passage has a word of: only its embedding finds anything. */
const embedder = {
  ...scriptedEmbedder(makeEmbedderScript(), NAME),
  dimensions: DIMENSIONS,
  embed: (texts: ReadonlyArray<string>) => Effect.succeed(texts.map((text) => Result.succeed(vectorOf(Number(text)))))
}

/** An index whose searches use the approximate index if more than `exactWithin` passages are named. */
export const storesWithin = (exactWithin: number) =>
  Layer.mergeAll(Layer.fresh(PgPassageIndexLayer), PgDocumentStoreLayer).pipe(
    Layer.provide(Layer.succeed(PassageEmbedder, embedder)),
    Layer.provide(Layer.succeed(ExactSearchPassages, exactWithin))
  )

export interface Library {
  readonly userId: string
  /** Of the first document and its first passage's vector: each goes on from there. */
  readonly first: number
  readonly documents: number
  /** False leaves them in a generation that is not searched. */
  readonly active?: boolean
  /** Passages of each; `PASSAGES` unless given. */
  readonly passages?: number
}

export const idOf = (document: number): string => `00000000-0000-4000-8000-${String(document).padStart(12, "0")}`

/** Documents with embeddings and no words, written at once: passage p of document n has the vector of n * 1000 + p. */
export const fill = Effect.fnUntraced(function* ({
  active = true,
  documents,
  first,
  passages = PASSAGES,
  userId
}: Library) {
  const { schema, statement } = yield* Database
  const numbers = Array.from({ length: documents }, (_, place) => first + place)
  const ids = numbers.map(idOf)
  yield* statement(
    `INSERT INTO ${schema}.documents (user_id, id, filename, type, bytes, status, progress, created_at)
      SELECT $1, id, 'a.md', 'md', 1, 'ready', 1, now() FROM unnest($2::uuid[]) AS id`,
    [userId, ids]
  )
  yield* statement(
    `INSERT INTO ${schema}.passage_generations
      (user_id, document_id, generation, active, fingerprint, language, passages, terms)
      SELECT $1, id, 1, $3, 'f', 'en', $4, 0 FROM unnest($2::uuid[]) AS id`,
    [userId, ids, active, passages]
  )
  yield* statement(
    `INSERT INTO ${schema}.passages
      (user_id, document_id, generation, ordinal, start_offset, end_offset, text, length, terms, frequencies)
      SELECT $1, id, 1, p, p * 2, p * 2 + 1, 'x', 0, '', '' FROM unnest($2::uuid[]) AS id, generate_series(0, $3 - 1) AS p`,
    [userId, ids, passages]
  )
  for (const number of numbers) {
    const vectors = Array.from({ length: passages }, (_, place) => vectorOf(number * 1000 + place))
    yield* statement(
      `INSERT INTO ${schema}.passage_embeddings (user_id, document_id, generation, ordinal, model, embedding)
        SELECT $1, $2, 1, place - 1, $3, ARRAY(SELECT value::real FROM jsonb_array_elements_text(vector) AS value)
        FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY AS given (vector, place)`,
      [userId, idOf(number), MODEL, JSON.stringify(vectors)]
    )
  }
  return ids
})

/** The approximate index as it is at an operator's, in a plain statement: what `parley vectors index` makes is tested there. */
export const indexVectors = (model = MODEL, dimensions = DIMENSIONS) =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const { execute } = yield* DatabaseOwner
    const [{ name } = { name: "" }] = yield* statement<{ name: string }>(`SELECT ${schema}.vector_index($1) AS name`, [
      model
    ])
    const [found] = yield* execute(
      "SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
    )
    const extension = String(found?.["schema"])
    yield* execute(`CREATE INDEX ${name} ON ${schema}.passage_embeddings
      USING hnsw ((embedding::${extension}.vector(${dimensions})) ${extension}.vector_cosine_ops) WHERE model = '${model}'`)
    yield* execute(`ANALYZE ${schema}.passage_embeddings`)
    return name
  })

/** The nearest passages of documents by comparing all, best first, as `key` says them. */
export const nearest = (documents: ReadonlyArray<number>, question: number, limit: number, passages = PASSAGES) =>
  documents
    .flatMap((document) => Array.from({ length: passages }, (_, ordinal) => ({ document, ordinal })))
    .map((each) => ({ ...each, near: cosine(vectorOf(each.document * 1000 + each.ordinal), vectorOf(question)) }))
    .filter(({ near }) => near > 0)
    .toSorted((one, other) => other.near - one.near)
    .slice(0, limit)
    .map(({ document, ordinal }) => `${idOf(document)} ${ordinal}`)

export const found = (userId: string, documentIds: ReadonlyArray<string>, question: number, limit: number) =>
  Effect.map(
    PassageIndex.use((index) => index.search({ userId, documentIds, query: String(question), limit })),
    (passages) => passages.map(({ documentId, ordinal }) => `${documentId} ${ordinal}`)
  )
