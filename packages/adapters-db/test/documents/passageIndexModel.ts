import { passagePorts } from "./passagePorts.ts"
import { DocumentStore, InMemoryDocumentStore, InMemoryPassageIndex } from "@parley/core/adapter"
import { ampleQuota, indexPassages, newDocument, newUserId, passagesOf } from "@parley/core/testing"
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { Database, PgDocumentStoreLayer, PgPassageIndexLayer } from "../../src/index.ts"
import { databases } from "../databases.ts"
import { countGenerations } from "./unsoundIndex.ts"

/**
 * Words that both splitters leave unchanged, one longer than the longest stored word, one frequent: at most 240 times
 * in a question, because the database counts no word more than 256 times.
 */
const word = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("slat", "wing", "body", "tail", "rotor", "flap", "日本", "café", "x15") },
  { weight: 1, arbitrary: fc.constantFrom("x".repeat(60), "flap ".repeat(20), "cafe\u0301") }
)
/**
 * Separators of words, among them all characters with a meaning in SQL, arrays, JSON and queries of terms, and
 * characters that no text may contain.
 */
const MARKS = "'\"\\`$%{}()[],;:*&|!<>~=?#@/\n\t\0\ud800\udc00\ufeff\u2028👍"
const between = fc.oneof(
  { weight: 3, arbitrary: fc.constant(" ") },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...MARKS.split("")), { minLength: 1, maxLength: 4 })
      .map((marks) => ` ${marks.join("")} `)
  }
)
const text = fc
  .array(fc.tuple(word, between), { minLength: 1, maxLength: 12 })
  .map((words) => words.map((each) => each.join("")).join(""))
const texts = fc.array(text, { maxLength: 5 })

type Step =
  | { readonly kind: "index"; readonly document: number; readonly texts: ReadonlyArray<string> }
  /** A second generation beside the searched one, which is never finished. */
  | { readonly kind: "begin"; readonly document: number; readonly texts: ReadonlyArray<string> }
  | { readonly kind: "remove"; readonly document: number }
  /** Counts the searched and uncounted generations of all people. */
  | { readonly kind: "count" }
  | {
      readonly kind: "search"
      readonly documents: ReadonlyArray<number>
      readonly query: string
    }

/** Documents 0 to 3 belong to one person, 4 and 5 to another. */
const DOCUMENTS = [0, 0, 0, 0, 1, 1] as const
const document = fc.nat({ max: DOCUMENTS.length - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("index" as const), document, texts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("begin" as const), document, texts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), document }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("count" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      documents: fc.array(document, { maxLength: 6 }),
      query: text
    })
  }
)

/** Documents that end a block short of full, full, and in one more, of which the last passages are asked for; one of repeats. */
const BLOCKS: ReadonlyArray<Step> = [
  ...[127, 128, 129].map((passages, document) => ({
    kind: "index" as const,
    document,
    texts: Array.from({ length: passages }, (_, at) =>
      at < passages - 2 ? "body" : `slat wing ${"tail ".repeat(at % 3)}`
    )
  })),
  { kind: "index", document: 3, texts: ["flap ".repeat(1000), "flap body"] },
  { kind: "search", documents: [0, 1, 2, 3], query: "slat tail flap" },
  { kind: "count" },
  { kind: "search", documents: [0, 1, 2, 3], query: "slat tail flap" },
  { kind: "search", documents: [2], query: "wing" }
]

interface History {
  readonly steps: ReadonlyArray<Step>
  readonly people: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
}

/** Runs the steps for new people and documents; returns the results of each search. */
const play = Effect.fnUntraced(function* <E, R>(
  { ids, people, steps }: History,
  count: (userId: string) => Effect.Effect<unknown, E, R>
) {
  const documents = yield* DocumentStore
  const index = yield* passagePorts
  const ownerOf = (number: number) => people[DOCUMENTS[number] ?? 0] ?? ""
  for (const [number, id] of ids.entries()) yield* documents.insert(newDocument(ownerOf(number), { id }), ampleQuota)
  const found: Array<ReadonlyArray<{ readonly place: string; readonly score: number }>> = []
  for (const step of steps) {
    if (step.kind === "search") {
      const documentIds = step.documents.map((number) => ids[number] ?? "")
      const passages = yield* index.search({
        userId: people[0] ?? "",
        documentIds,
        query: step.query,
        limit: 100
      })
      found.push(passages.map(({ documentId, ordinal, score }) => ({ place: `${documentId} ${ordinal}`, score })))
    } else if (step.kind === "count") yield* Effect.forEach(people, count, { discard: true })
    else {
      const owned = { userId: ownerOf(step.document), documentId: ids[step.document] ?? "" }
      if (step.kind === "remove") yield* documents.remove(owned.userId, owned.documentId)
      else if (step.kind === "begin") {
        const passages = passagesOf(...step.texts)
        const parsed = { text: step.texts.join(" "), pageStarts: null }
        const begun = Effect.flatMap(
          index.begin({ ...owned, parsed, fingerprint: crypto.randomUUID() }),
          (generation) => index.add(generation, passages)
        )
        yield* Effect.catchTag(begun, "GenerationGone", () => Effect.void)
      } else
        yield* Effect.catchTag(indexPassages(owned, passagesOf(...step.texts)), "GenerationGone", () => Effect.void)
    }
  }
  return found
})

/**
 * The differences between these people's statistics and a new count of the counted generations: by owner and term, or
 * by owner alone for the whole.
 */
const uncounted = Effect.fnUntraced(function* (people: ReadonlyArray<string>) {
  const { schema, statement } = yield* Database
  const generations = `SELECT * FROM ${schema}.passage_generations WHERE counted AND user_id = ANY($1)`
  return yield* statement(
    `WITH kept AS (
      SELECT user_id, term, passages, 0::bigint AS terms FROM ${schema}.term_statistics WHERE user_id = ANY($1)
      UNION ALL SELECT user_id, NULL, passages, terms FROM ${schema}.index_statistics WHERE user_id = ANY($1)
    ), counted AS (
      SELECT user_id, lexeme AS term, sum(cardinality(positions))::bigint AS passages, 0::bigint AS terms
      FROM (${generations}) AS g JOIN ${schema}.postings p USING (user_id, document_id, generation), unnest(p.lexemes)
      GROUP BY user_id, lexeme
      UNION ALL
      SELECT user_id, NULL, count(*), sum(length)::bigint
      FROM (${generations}) AS g JOIN ${schema}.passages p USING (user_id, document_id, generation) GROUP BY user_id
    )
    (SELECT 'kept', * FROM kept EXCEPT SELECT 'kept', * FROM counted)
    UNION ALL (SELECT 'counted', * FROM counted EXCEPT SELECT 'counted', * FROM kept)`,
    [people]
  )
})

const inMemory = InMemoryPassageIndex.layer.pipe(Layer.provideMerge(InMemoryDocumentStore.layer))

/** Plays this number of histories on every database. */
export const passageIndexModel = (histories: number): void => {
  for (const { name, layer } of databases) {
    describe(`PassageIndex on ${name} beside the plain model`, () => {
      const runtime = ManagedRuntime.make(
        Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer).pipe(Layer.provideMerge(layer))
      )
      afterAll(() => runtime.dispose())

      it("finds the same passages with the same scores over any history of indexing, replacing, leaving unfinished, deleting and counting, and counts what a fresh build would", async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            const people = [newUserId(), newUserId()]
            const ids = DOCUMENTS.map(() => crypto.randomUUID())
            const history = { steps, people, ids }
            const alone = play(history, () => Effect.void)
            const expected = await Effect.runPromise(Effect.provide(alone, inMemory))
            const found = await runtime.runPromise(play(history, countGenerations))
            expect(await runtime.runPromise(uncounted(people))).toEqual([])
            expect(found.map((each) => each.length)).toEqual(expected.map((each) => each.length))
            found.forEach((each, search) =>
              each.forEach(({ score }, rank) => expect(score).toBeCloseTo(expected[search]?.[rank]?.score ?? NaN, 6))
            )
            const clearly = distinct(expected)
            expect(found.map((each, search) => keep(each, clearly[search]))).toEqual(
              expected.map((each, search) => keep(each, clearly[search]))
            )
          }),
          { numRuns: histories, examples: [[[...BLOCKS]]] }
        )
      })
    })
  }
}

type Found = ReadonlyArray<{ readonly place: string; readonly score: number }>

/** For each search, which ranks are further from their neighbours than rounding can move them. */
const distinct = (all: ReadonlyArray<Found>): ReadonlyArray<ReadonlyArray<boolean>> =>
  all.map((found) =>
    found.map(({ score }, rank) =>
      [found[rank - 1], found[rank + 1]].every(
        (neighbour) => neighbour === undefined || neighbour.score === score || Math.abs(neighbour.score - score) > 1e-6
      )
    )
  )

const keep = (found: Found, clearly: ReadonlyArray<boolean> | undefined): ReadonlyArray<string> =>
  found.filter((_, rank) => clearly?.[rank] === true).map(({ place }) => place)
