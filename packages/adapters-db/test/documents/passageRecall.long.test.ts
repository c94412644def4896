import { PassageEmbedder, PassageIndex } from "@parley/core/adapter"
import { scriptedEmbedder, makeEmbedderScript, newUserId } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Database, DatabaseOwner, PgPassageIndexLayer } from "../../src/index.ts"
import { databases } from "../databases.ts"

const DOCUMENTS = 1_000
const PASSAGES = 5
const DIMENSIONS = 16
const LIMIT = 8
const QUESTIONS = 12

/** Numbers of a passage without a pattern that matters, the same in SQL and here. */
const inSql = (seed: string) => `(SELECT array_agg((sin(${seed} * 12.9898 + d * 78.233))::real ORDER BY d)
  FROM generate_series(1, ${DIMENSIONS}) AS d)`
const vectorOf = (seed: number): ReadonlyArray<number> =>
  Array.from({ length: DIMENSIONS }, (_, place) => Math.fround(Math.sin(seed * 12.9898 + (place + 1) * 78.233)))

const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number =>
  one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0) / (Math.hypot(...one) * Math.hypot(...other))

const MODEL = "seeded/vectors"
/** A question is a number, which no passage has a word of: only its embedding finds anything. */
const embedder = {
  ...scriptedEmbedder(makeEmbedderScript(), MODEL),
  dimensions: DIMENSIONS,
  embed: (texts: ReadonlyArray<string>) =>
    Effect.succeed(texts.map((text) => Result.succeed(vectorOf(Number(text) + 0.5))))
}

const idOf = (document: number): string => `00000000-0000-4000-8000-${String(document).padStart(12, "0")}`

/** A thousand documents of five passages, written at once, with an approximate index over all their embeddings. */
const fill = Effect.fnUntraced(function* (userId: string) {
  const { schema, statement } = yield* Database
  const { execute } = yield* DatabaseOwner
  const id = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const each = `generate_series(0, ${DOCUMENTS - 1}) AS n`
  yield* statement(
    `INSERT INTO ${schema}.documents (user_id, id, filename, type, bytes, status, progress, created_at)
      SELECT $1, ${id}, 'a.md', 'md', 1, 'ready', 1, now() FROM ${each}`,
    [userId]
  )
  yield* statement(
    `INSERT INTO ${schema}.passage_generations
      (user_id, document_id, generation, active, fingerprint, language, passages, terms)
      SELECT $1, ${id}, 1, true, 'f', 'en', ${PASSAGES}, 0 FROM ${each}`,
    [userId]
  )
  yield* statement(
    `INSERT INTO ${schema}.passages
      (user_id, document_id, generation, ordinal, start_offset, end_offset, text, length, terms, frequencies)
      SELECT $1, ${id}, 1, p, p * 2, p * 2 + 1, 'x', 0, '', '' FROM ${each}, generate_series(0, ${PASSAGES - 1}) AS p`,
    [userId]
  )
  yield* statement(
    `INSERT INTO ${schema}.passage_embeddings (user_id, document_id, generation, ordinal, model, embedding)
      SELECT $1, ${id}, 1, p, $2, ${inSql(`(n * ${PASSAGES} + p)::float8`)}
      FROM ${each}, generate_series(0, ${PASSAGES - 1}) AS p`,
    [userId, `${MODEL}/${DIMENSIONS}`]
  )
  // Databases of one server share the extension, which is in the schema that created it.
  const [extension] = yield* statement<{ home: string }>(
    "SELECT extnamespace::regnamespace::text AS home FROM pg_extension WHERE extname = 'vector'"
  )
  const home = extension?.home ?? schema
  yield* execute(`CREATE INDEX ON ${schema}.passage_embeddings
    USING hnsw ((embedding::${home}.vector(${DIMENSIONS})) ${home}.vector_cosine_ops)`)
  yield* execute(`ANALYZE ${schema}.passage_embeddings`)
})

for (const { name, layer } of databases) {
  describe(`Recall by embeddings on ${name}, beside an approximate index`, () => {
    it("within 1, 50 and all of 1,000 documents, every search gives as many as there are, the nearest of all", async () => {
      const stores = PgPassageIndexLayer.pipe(
        Layer.provide(Layer.succeed(PassageEmbedder, embedder)),
        Layer.provideMerge(layer)
      )
      const work = Effect.gen(function* () {
        const userId = newUserId()
        yield* fill(userId)
        const index = yield* PassageIndex
        for (const named of [1, 50, DOCUMENTS]) {
          for (let question = 0; question < QUESTIONS; question++) {
            const chosen = Array.from({ length: named }, (_, place) => (question * 131 + place * 7) % DOCUMENTS)
            const exact = chosen
              .flatMap((document) => Array.from({ length: PASSAGES }, (_, ordinal) => ({ document, ordinal })))
              .map((each) => ({
                ...each,
                near: cosine(vectorOf(each.document * PASSAGES + each.ordinal), vectorOf(question + 0.5))
              }))
              .filter(({ near }) => near > 0)
              .toSorted((one, other) => other.near - one.near)
              .slice(0, LIMIT)
            const documentIds = chosen.map(idOf)
            const found = yield* index.search({ userId, documentIds, query: String(question), limit: LIMIT })
            expect(found.map(({ documentId, ordinal }) => `${documentId} ${ordinal}`)).toEqual(
              exact.map(({ document, ordinal }) => `${idOf(document)} ${ordinal}`)
            )
          }
        }
      })
      await Effect.runPromise(Effect.provide(work, stores))
    }, 300_000)
  })
}
