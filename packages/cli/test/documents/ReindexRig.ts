import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database, type OpenDatabase, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { ProcessDocument } from "@parley/core/adapter"
import { ampleQuota, newDocument } from "@parley/core/testing"
import { Effect, ManagedRuntime } from "effect"
import { FaultyWire } from "../../../adapters-db/test/faults/FaultyWire.ts"
import { type Ended, ParleyProcess, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { dropSchema } from "./dropSchema.ts"
import { FakeEmbeddings } from "./FakeEmbeddings.ts"

const serverUrl = process.env["TEST_DATABASE_URL"] ?? ""

/** A distinct text for each name, of about this many passages. */
const longText = (name: string, passages: number): string =>
  Array.from({ length: passages * 25 }, (_, line) => `Line ${line} of ${name} speaks of lift, of drag, of wings.`).join(
    "\n"
  )

type Row = Record<string, unknown>

/** Documents on a schema of a real server, a provider that embeds them, and commands in this process or in others. */
export class ReindexRig implements AsyncDisposable {
  readonly schema: string
  readonly userId = `ann-${randomUUID()}`
  readonly provider: FakeEmbeddings
  /** A way to the database on which requests can be watched. */
  readonly wire: FaultyWire
  /** Connections that lost data on the wire: all later data is dropped too. */
  readonly lostConnections = new Set<number>()
  readonly stores: OpenDatabase
  readonly #folder = temporaryFolder()
  readonly #looking

  private constructor(schema: string, provider: FakeEmbeddings, wire: FaultyWire, stores: OpenDatabase) {
    this.schema = schema
    this.provider = provider
    this.wire = wire
    this.stores = stores
    this.#looking = ManagedRuntime.make(PgDatabaseLayer({ url: serverUrl, schema, maxConnections: 2 }))
  }

  static async start(): Promise<ReindexRig> {
    const schema = `reindex_${randomUUID().replaceAll("-", "").slice(0, 12)}`
    const stores = await openDatabase({ url: serverUrl, schema, maxConnections: 4 })
    return new ReindexRig(schema, await FakeEmbeddings.start(), await FaultyWire.open(serverUrl), stores)
  }

  /** The environment of commands with the embedder `model`; default: none. */
  environment(model?: string, more: object = {}): Readonly<Record<string, string>> {
    const name = `${model ?? "none"}.json`
    writeFileSync(
      join(this.#folder.path, name),
      JSON.stringify(model === undefined ? {} : this.provider.embedding(model, more))
    )
    return {
      DATABASE_URL: serverUrl,
      PARLEY_DB_SCHEMA: this.schema,
      PARLEY_CONFIG: name,
      PARLEY_EMBEDDING_API_KEY: "any",
      LOG_LEVEL: "none"
    }
  }

  /** The same environment with a database connection through the wire. */
  watched(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return { ...environment, DATABASE_URL: this.wire.through(serverUrl) }
  }

  /** Runs a command in the process of the tests. */
  here(argv: ReadonlyArray<string>, environment: Readonly<Record<string, string>>): Promise<Ended> {
    return runHere(argv, this.#folder.path, environment)
  }

  /** Starts a command in its own process. */
  process(argv: ReadonlyArray<string>, environment: Readonly<Record<string, string>>): ParleyProcess {
    return new ParleyProcess(argv, this.#folder.path, environment)
  }

  /** Stores documents with their processing jobs; returns their ids. */
  async upload(names: ReadonlyArray<string>, passages: number): Promise<ReadonlyArray<string>> {
    const { documents, files, jobs, unitOfWork } = this.stores
    const ids: Array<string> = []
    for (const name of names) {
      const bytes = new TextEncoder().encode(longText(name, passages))
      const document = newDocument(this.userId, { filename: `${name}.txt`, type: "txt", bytes: bytes.byteLength })
      const key = { userId: this.userId, documentId: document.id }
      const store = Effect.gen(function* () {
        yield* documents.insert(document, ampleQuota)
        yield* files.write({ ...key, bytes })
        yield* jobs.enqueue(key.userId, ProcessDocument, { documentId: key.documentId })
      })
      await Effect.runPromise(unitOfWork.run(this.userId, store))
      ids.push(document.id)
    }
    return ids
  }

  /** Asks the database past everything; `$schema` stands for the schema. */
  query<R extends Row>(text: string, params: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<R>> {
    const query = text.replaceAll("$schema", this.schema)
    return this.#looking.runPromise(Database.use((database) => database.statement<R>(query, params)))
  }

  /** All that is searched: each passage of each active generation, by document and place, and the embedder's model. */
  passages(): Promise<ReadonlyArray<Row>> {
    return this.query(
      `SELECT p.document_id, p.ordinal, p.page, p.start_offset, p.end_offset, p.text, p.terms, p.frequencies
       FROM $schema.passages p JOIN $schema.passage_generations g USING (user_id, document_id, generation)
       WHERE g.active ORDER BY p.document_id, p.ordinal`
    )
  }

  /** Ready documents that no search finds, and searched ones that are not ready: there must be none at any moment. */
  torn(): Promise<ReadonlyArray<Row>> {
    return this.query(
      `SELECT d.filename, d.status, d.passages, g.passages AS searched FROM $schema.documents d
       LEFT JOIN $schema.passage_generations g ON g.user_id = d.user_id AND g.document_id = d.id AND g.active
       WHERE (d.status = 'ready') <> (g.generation IS NOT NULL) OR d.status = 'ready' AND d.passages IS DISTINCT FROM g.passages`
    )
  }

  /** Differences to an undisturbed indexing by `model`; empty if there are none. */
  async unsound(model: string): Promise<ReadonlyArray<Row>> {
    return this.query(
      `SELECT 'document not ready' AS problem, id::text AS what FROM $schema.documents
         WHERE status <> 'ready' OR progress <> 1
       UNION ALL SELECT 'generations', document_id::text FROM $schema.passage_generations
         GROUP BY document_id HAVING count(*) <> 1 OR NOT bool_and(active)
       UNION ALL SELECT 'passages counted wrongly', d.id::text
         FROM $schema.documents d JOIN $schema.passage_generations g ON g.user_id = d.user_id AND g.document_id = d.id
         WHERE d.passages <> g.passages
           OR g.passages <> (SELECT count(*) FROM $schema.passages p
             WHERE p.user_id = g.user_id AND p.document_id = g.document_id AND p.generation = g.generation)
       UNION ALL SELECT 'passage without its embedding', p.document_id || ' ' || p.ordinal
         FROM $schema.passages p LEFT JOIN $schema.passage_embeddings e USING (user_id, document_id, generation, ordinal)
         WHERE e.model IS DISTINCT FROM $1
       UNION ALL SELECT 'terms counted wrongly', coalesce(s.term, c.term) FROM $schema.term_statistics s
         FULL JOIN (SELECT user_id, lexeme AS term, sum(cardinality(positions)) AS passages
           FROM $schema.passage_generations g JOIN $schema.postings p USING (user_id, document_id, generation),
             unnest(p.lexemes) WHERE g.counted GROUP BY 1, 2) c
           USING (user_id, term)
         WHERE s.passages IS DISTINCT FROM c.passages
       UNION ALL SELECT 'owner counted wrongly', user_id FROM $schema.index_statistics s
         FULL JOIN (SELECT user_id, count(*) AS passages, sum(p.length) AS terms FROM $schema.passages p
           JOIN $schema.passage_generations g USING (user_id, document_id, generation) WHERE g.counted GROUP BY 1) c
           USING (user_id)
         WHERE (s.passages, s.terms) IS DISTINCT FROM (c.passages, c.terms)`,
      [`openai/${model}/8`]
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking.dispose()
    await this.stores.close()
    await this.provider[Symbol.asyncDispose]()
    await this.wire[Symbol.asyncDispose]()
    await dropSchema(serverUrl, this.schema)
    this.#folder[Symbol.dispose]()
  }
}
