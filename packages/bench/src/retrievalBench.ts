/**
 * Measures how well Parley's passage index finds the relevant documents of a collection. `npm run bench:retrieval --
 * <folder>`; the folder contains `docs.jsonl`, `queries.jsonl`, `qrels.tsv` and optionally `spans.jsonl`. It uses the
 * embedded database in memory or, with `--database <url>`, a temporary database on the server of that URL. `--half odd`
 * or `--half even` uses only the queries at odd or even positions. `--embedder <file>`, a module whose default export
 * is an embedder, also searches by meaning, and prints the result for each weight. `--foreign <folder>` also asks the
 * questions of another collection, and prints the number of passages that a model would be offered for them. `--among
 * <text>` asks only questions that are answered by a document whose id contains the text; with `--alone`, only these
 * documents are indexed. `--stemmer german` selects the stemmer of the plain BM25 that is measured for comparison;
 * English by default.
 */
import { parseArgs } from "node:util"
import { databaseLayer, migrate, PgDocumentStoreLayer, PgPassageIndexLayer } from "@parley/adapters-db"
import { PassageEmbedder } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { quantile } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"
import { type Collection, readCollection } from "./retrieval/collection.ts"
import { indexCollection } from "./retrieval/indexCollection.ts"
import { meanOf } from "./retrieval/measures.ts"
import { measurePlainBm25 } from "./retrieval/plainBm25.ts"
import { measureRelevance } from "./retrieval/relevance.ts"
import { loadEmbedder, type WeighedEmbedder, weighEmbedder, weightLines } from "./retrieval/weighEmbedder.ts"
import { askQuery, type QueryFigures, type SpanFigures } from "./retrieval/searchCollection.ts"

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    database: { type: "string" },
    half: { type: "string" },
    embedder: { type: "string" },
    foreign: { type: "string" },
    among: { type: "string" },
    alone: { type: "boolean", default: false },
    stemmer: { type: "string", default: "english" },
    queries: { type: "boolean", default: false }
  }
})
const [folder] = positionals
if (folder === undefined || (flags.half !== undefined && !["odd", "even"].includes(flags.half))) {
  console.error(
    "Usage: npm run bench:retrieval -- <folder> [--json] [--database <url>] [--half odd|even] [--embedder <file>] [--foreign <folder>] [--queries] [--among <text>] [--alone] [--stemmer <name>]"
  )
  process.exit(2)
}

const halfOf = (collection: Collection): Collection => {
  const rest = flags.half === "odd" ? 0 : 1
  const queries = collection.queries.filter((_, place) => flags.half === undefined || place % 2 === rest)
  return { ...collection, queries }
}

/** Returns the part of a collection that `--among` and `--alone` select. */
const chosenOf = (collection: Collection): Collection => {
  const { alone, among } = flags
  if (among === undefined) return collection
  const isAnswered = ({ id }: { readonly id: string }) =>
    collection.judgements
      .get(id)
      ?.keys()
      .some((document) => document.includes(among)) === true
  return {
    ...collection,
    queries: collection.queries.filter(isAnswered),
    documents: alone ? collection.documents.filter(({ id }) => id.includes(among)) : collection.documents
  }
}

const tell = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(60)}`)
}

const rounded = (value: number | undefined, digits = 4): number | undefined =>
  value === undefined ? undefined : Number(value.toFixed(digits))

const report = (figures: ReadonlyArray<QueryFigures>) => {
  const spans = (at: (figure: QueryFigures) => SpanFigures) => ({
    "recall@5": rounded(meanOf(figures.map((each) => at(each).at5))),
    "recall@10": rounded(meanOf(figures.map((each) => at(each).at10))),
    "recall@5 in 5000 characters": rounded(meanOf(figures.map((each) => at(each).at5Bounded)))
  })
  const latencies = figures.map(({ latencyMs }) => latencyMs)
  return {
    "ndcg@10": rounded(meanOf(figures.map(({ ndcg }) => ndcg))),
    "recall@100": rounded(meanOf(figures.map(({ recall }) => recall))),
    spans: { "within the document": spans(({ within }) => within), "over all": spans(({ overAll }) => overAll) },
    latency: { p50Ms: rounded(quantile(latencies, 0.5), 2), p99Ms: rounded(quantile(latencies, 0.99), 2) }
  }
}

const run = (collection: Collection, weighed: WeighedEmbedder | undefined, foreign: Collection | undefined) =>
  Effect.gen(function* () {
    yield* migrate()
    const begun = performance.now()
    const indexed = yield* indexCollection(collection, (done) =>
      tell(`indexed ${done} of ${collection.documents.length}`)
    )
    const indexingMs = performance.now() - begun
    const figures: Array<QueryFigures> = []
    for (const query of collection.queries) {
      figures.push(yield* askQuery(collection, indexed, query))
      tell(`asked ${figures.length} of ${collection.queries.length}`)
    }
    const plain = yield* measurePlainBm25(collection, flags.stemmer)
    const relevance = yield* measureRelevance(collection, indexed, foreign)
    const weights =
      weighed === undefined
        ? []
        : yield* weighEmbedder(collection, indexed, weighed, (weight) => tell(`asked by weight ${weight}`))
    tell("")
    return {
      folder,
      database: flags.database === undefined ? "PGlite" : "Postgres",
      documents: collection.documents.length,
      queries: collection.queries.length,
      passages: indexed.passages,
      charactersPerPassage: Math.round(indexed.characters / Math.max(1, indexed.passages)),
      indexing: {
        seconds: rounded(indexingMs / 1000, 1),
        passagesPerSecond: Math.round(indexed.passages / (indexingMs / 1000))
      },
      ...report(figures),
      "plain bm25 ndcg@10": rounded(plain),
      relevance,
      weights,
      ...(flags.queries ? { each: figures } : {})
    }
  })

const collection = chosenOf(halfOf(readCollection(folder)))
const weighed = flags.embedder === undefined ? undefined : await loadEmbedder(flags.embedder)
const foreign = flags.foreign === undefined ? undefined : readCollection(flags.foreign)
const temporary = flags.database === undefined ? undefined : await createTemporaryDatabase(flags.database)
const stores = Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer)
const embedding = Layer.succeed(PassageEmbedder, weighed?.embedder)
const layer = Layer.provideMerge(stores, Layer.merge(databaseLayer({ url: temporary?.url }), embedding))
try {
  const measured = await Effect.runPromise(Effect.provide(run(collection, weighed, foreign), layer))
  if (flags.json) console.log(JSON.stringify(measured, undefined, 2))
  else {
    const { indexing, latency, relevance, spans } = measured
    const row = (name: string, value: string | number | undefined) => console.log(`${name.padEnd(54)}${value ?? "-"}`)
    row("collection", `${folder}: ${measured.documents} documents, ${measured.queries} queries`)
    row("passages", `${measured.passages} of ${measured.charactersPerPassage} characters, on ${measured.database}`)
    row("indexing", `${indexing.seconds} s, ${indexing.passagesPerSecond} passages a second`)
    row("ndcg@10", measured["ndcg@10"])
    row("ndcg@10 of plain BM25", measured["plain bm25 ndcg@10"])
    row("recall@100", measured["recall@100"])
    for (const [scope, figures] of Object.entries(spans)) {
      for (const [name, value] of Object.entries(figures)) row(`span ${name}, ${scope}`, value)
    }
    row("right passages found / offered", `${relevance.right.found} / ${relevance.right.offered}`)
    if (relevance.foreign !== undefined) {
      const { found, offered, questions } = relevance.foreign
      row(`found / offered, ${questions} foreign questions`, `${found} / ${offered}`)
    }
    if (measured.weights.length > 0) for (const [name, value] of weightLines(measured.weights)) row(name, value)
    row("latency p50 / p99", `${latency.p50Ms} / ${latency.p99Ms} ms`)
  }
} finally {
  await temporary?.drop()
}
