import type { StorageFailed } from "@parley/core/adapter"
import { Effect, Fiber, Schema } from "effect"
import { Database, type DatabaseError, type Row } from "../../database/Database.ts"
import { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import { forPurpose } from "../../database/limits.ts"
import { quoteIdentifier, quoteLiteral } from "../../database/quoting.ts"

/** The first pgvector whose scans continue beyond the rows that a filter excludes. */
const LEAST_PGVECTOR = [0, 8] as const
/** Milliseconds between two reports of progress. */
const TOLD_EACH_MS = 1_000
/** Milliseconds between two requests to end a build. */
const ENDED_EACH_MS = 100
/** Neighbours a passage has in the graph, twice as many at the bottom; pgvector's default, in bytes with their overhead. */
const GRAPH_BYTES = 450

/** An approximate index over embeddings. */
export interface VectorIndex {
  readonly name: string
  /** The model of the embeddings in it: provider, model and dimensions. */
  readonly model: string
  /** An interrupted build is `invalid`: it takes room and time and is not searched. */
  readonly state: "valid" | "building" | "invalid"
  readonly bytes: number
  /** The database's estimate of their number. */
  readonly passages: number
}

/** Returns the indexes over embeddings, that of `model` apart; `model` is undefined if no embedder is configured. */
export interface VectorIndexes {
  /** The version of pgvector in the database; undefined if it has none. */
  readonly pgvector: string | undefined
  /** The model's own. */
  readonly current: VectorIndex | undefined
  /** Those of other models, or left invalid by interrupted builds. */
  readonly others: ReadonlyArray<VectorIndex>
}

/** Why an index over embeddings is not made. */
export class VectorIndexRefused extends Schema.TaggedError<VectorIndexRefused>()("VectorIndexRefused", {
  problem: Schema.Literals(["embedded", "pgvector-missing", "pgvector-old", "too-many-dimensions", "building"])
}) {
  readonly code = "vector_index_refused"
  override get message() {
    switch (this.problem) {
      case "embedded":
        return "The embedded database has no index over embeddings: building one there takes minutes for a few thousand passages. Libraries that need one want a Postgres server (DATABASE_URL)."
      case "pgvector-missing":
        return "The database has no pgvector. Let its owner run: CREATE EXTENSION vector;"
      case "pgvector-old":
        return "The database's pgvector is too old: 0.8 is the first that searches named documents through an index. Install it, then let the owner run: ALTER EXTENSION vector UPDATE;"
      case "too-many-dimensions":
        return "pgvector indexes at most 4,000 dimensions, and the embedder has more. Configure fewer dimensions, then re-index the documents."
      case "building":
        return "The index is being built already, by another command or connection. It serves searches once that ends."
    }
  }
}

/** A model whose embeddings are indexed. */
export interface EmbeddedModel {
  /** Its provider, name and dimensions, as embeddings are kept by. */
  readonly model: string
  readonly dimensions: number
}

interface FoundIndex extends Row, VectorIndex {
  readonly current: boolean
}

const EXTENSION = `SELECT extversion AS version, nspname AS schema FROM pg_extension
  JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'`

/** Parameter: the model. An index's own is in its predicate, as Postgres writes it. */
const listText = (schema: string) => `SELECT c.relname::text AS name, pg_relation_size(c.oid)::float8 AS bytes,
    greatest(c.reltuples, 0)::float8 AS passages, coalesce(c.relname = ${schema}.vector_index($1), false) AS current,
    coalesce(replace(substring(pg_get_expr(i.indpred, i.indrelid) FROM '''(.*)''::text'), '''''', ''''), '') AS model,
    CASE WHEN i.indisvalid THEN 'valid' WHEN EXISTS (
      SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid
    ) THEN 'building' ELSE 'invalid' END AS state
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = ${quoteLiteral(`${schema}.passage_embeddings`)}::regclass AND starts_with(c.relname, 'passage_vectors_')
  ORDER BY c.relname`

/** The indexes over embeddings, that of `model` apart; of none if no embedder is configured. */
export const findVectorIndexes = (
  model: string | undefined
): Effect.Effect<VectorIndexes, DatabaseError, Database | DatabaseOwner> =>
  Effect.gen(function* () {
    const { schema } = yield* Database
    const { execute } = yield* DatabaseOwner
    const [extension] = yield* execute(EXTENSION, [])
    const found = (yield* execute(listText(schema), [model ?? null])) as ReadonlyArray<FoundIndex>
    const indexes = found.map(({ current, ...index }) => ({ current, index }))
    return {
      pgvector: extension === undefined ? undefined : String(extension["version"]),
      current: indexes.find(({ current }) => current)?.index,
      others: indexes.flatMap(({ current, index }) => (current ? [] : [index]))
    }
  })

const sizeText = (schema: string) => `SELECT count(*)::float8 AS passages,
  pg_size_bytes(current_setting('maintenance_work_mem'))::float8 AS memory
  FROM ${schema}.passage_embeddings WHERE model = $1`

/** The passages that a model has embedded, and the memory in bytes that a session may use to build an index. */
export const embeddingsOf = (
  model: string
): Effect.Effect<{ readonly passages: number; readonly memory: number }, DatabaseError, Database> =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const [size] = yield* statement<{ readonly passages: number; readonly memory: number }>(sizeText(schema), [model])
    return size ?? { passages: 0, memory: 0 }
  })

/**
 * Returns the approximate memory in bytes for building the graph over this number of passages at once; with less
 * memory, the build takes far longer.
 */
export const buildingMemory = ({ dimensions }: EmbeddedModel, passages: number): number =>
  passages * (dimensions * (dimensions <= 2_000 ? 4 : 2) + GRAPH_BYTES)

/** Returns whether a version of pgvector, in the form of `findVectorIndexes`, supports searches through an index. */
export const isRecentPgvector = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > LEAST_PGVECTOR[0] || (major === LEAST_PGVECTOR[0] && minor >= LEAST_PGVECTOR[1])
}

/**
 * Waits until no build of an index is running, beside searches and uploads, and runs `then` before another build can
 * begin. The lock is a statement of its own because that waits without a snapshot: a build waits in the end for all
 * older snapshots, so a snapshot that waited for the build would be a deadlock.
 */
const besideNoBuildText = (schema: string, then = "") =>
  `BEGIN; LOCK TABLE ${schema}.passage_embeddings IN SHARE UPDATE EXCLUSIVE MODE; ${then} COMMIT`

/** Renames an invalid index while no build is running, so that the new index of another command is not dropped. */
const setAsideText = (schema: string, name: string) =>
  besideNoBuildText(
    schema,
    `DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(${quoteLiteral(`${schema}.${quoteIdentifier(name)}`)}) AND NOT indisvalid) THEN
        ALTER INDEX ${schema}.${quoteIdentifier(name)} RENAME TO ${quoteIdentifier(setAsideName(name))};
      END IF;
    END $$;`
  )

const LEFT = "_left"
const setAsideName = (name: string): string => `${name}${LEFT}`

const dropText = (schema: string, name: string) =>
  `DROP INDEX CONCURRENTLY IF EXISTS ${schema}.${quoteIdentifier(name)}`

const DUPLICATE = "42P07"
const DEADLOCK = "40P01"

const ENDED_BUILD = `SELECT pg_cancel_backend(p.pid) FROM pg_stat_progress_create_index p
  JOIN pg_class c ON c.oid = p.index_relid WHERE p.relid = to_regclass($1) AND c.relname = $2`

const DONE = `SELECT p.tuples_done::float8 AS done FROM pg_stat_progress_create_index p
  JOIN pg_class c ON c.oid = p.index_relid WHERE p.relid = to_regclass($1) AND c.relname = $2`

export interface BuildVectorIndex extends EmbeddedModel {
  /** Runs before the build begins, only if there is something to build. */
  readonly onBegin?: Effect.Effect<void, StorageFailed> | undefined
  /** Called now and then with the number of passages in the index. */
  readonly onProgress?: ((passages: number) => Effect.Effect<void>) | undefined
}

/**
 * Builds the index over a model's embeddings, beside searches and uploads, unless it exists; drops the remains of an
 * interrupted build first. If it is interrupted, it makes the server end the build. Returns whether it built one.
 */
export const buildVectorIndex = (
  request: BuildVectorIndex
): Effect.Effect<boolean, DatabaseError | StorageFailed | VectorIndexRefused, Database | DatabaseOwner> =>
  build(request).pipe(
    // Another command began at the same moment: check once more how that ended.
    Effect.catchIf(isOtherBuild, () => build({ ...request, onBegin: undefined })),
    Effect.catchIf(isOtherBuild, () => Effect.fail(new VectorIndexRefused({ problem: "building" }))),
    forPurpose("building")
  )

const isOtherBuild = (error: DatabaseError | StorageFailed | VectorIndexRefused) =>
  error._tag === "DatabaseError" && (error.sqlState === DUPLICATE || error.sqlState === DEADLOCK)

/** The name and column type of the index to build, and the schema of pgvector; refuses if the database cannot have it. */
const planIndex = Effect.fnUntraced(function* ({ dimensions, model }: EmbeddedModel) {
  const { driver, schema } = yield* Database
  const { execute } = yield* DatabaseOwner
  if (driver === "pglite") return yield* refuse("embedded")
  const [extension] = yield* execute(EXTENSION, [])
  if (extension === undefined) return yield* refuse("pgvector-missing")
  if (!isRecentPgvector(String(extension["version"]))) return yield* refuse("pgvector-old")
  const extensionSchema = quoteIdentifier(String(extension["schema"]))
  const [named = {}] = yield* execute(
    `SELECT ${schema}.vector_index($1) AS name, ${schema}.vector_index_type($2, $3) AS type`,
    [model, dimensions, extensionSchema]
  )
  const [name, type] = [String(named["name"]), named["type"]]
  if (typeof type !== "string") return yield* refuse("too-many-dimensions")
  return { name, type, extensionSchema }
})

const refuse = (problem: VectorIndexRefused["problem"]) => Effect.fail(new VectorIndexRefused({ problem }))

/** Returns false if the model has its index, else drops the remains of an interrupted build; refuses while one is running. */
const clearPlace = Effect.fnUntraced(function* ({ model, onBegin = Effect.void }: BuildVectorIndex, name: string) {
  const { schema } = yield* Database
  const { execute } = yield* DatabaseOwner
  const needsBuild = Effect.fnUntraced(function* (current: VectorIndex | undefined) {
    return current?.state === "building" ? yield* refuse("building") : current?.state !== "valid"
  })
  if (!(yield* needsBuild((yield* findVectorIndexes(model)).current))) return false
  // Another command may have begun since.
  yield* execute(besideNoBuildText(schema))
  const { current, others } = yield* findVectorIndexes(model)
  if (!(yield* needsBuild(current))) return false
  yield* onBegin
  const dropSetAside = execute(dropText(schema, setAsideName(name)))
  if (others.some((other) => other.name === setAsideName(name))) yield* dropSetAside
  if (current !== undefined) {
    yield* execute(setAsideText(schema, name))
    yield* dropSetAside
  }
  return true
})

const build = Effect.fnUntraced(function* (
  request: BuildVectorIndex
): Effect.fn.Return<boolean, DatabaseError | StorageFailed | VectorIndexRefused, Database | DatabaseOwner> {
  const { dimensions, model, onProgress } = request
  const { schema } = yield* Database
  const { execute } = yield* DatabaseOwner
  const { extensionSchema, name, type } = yield* planIndex(request)
  if (!(yield* clearPlace(request, name))) return false

  const opclass = `${extensionSchema}.${dimensions <= 2_000 ? "vector" : "halfvec"}_cosine_ops`
  const place = [`${schema}.passage_embeddings`, name]
  const building = yield* Effect.forkChild(
    execute(
      `CREATE INDEX CONCURRENTLY ${quoteIdentifier(name)} ON ${schema}.passage_embeddings
        USING hnsw ((embedding::${type}) ${opclass}) WHERE model = ${quoteLiteral(model)}`
    )
  )
  const telling = Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(TOLD_EACH_MS)
      const [row] = yield* execute(DONE, place)
      if (row !== undefined) yield* onProgress?.(Number(row["done"])) ?? Effect.void
    }
  })
  /** Repeats the request, since the server does not know a build that has just begun. */
  const ended = (fiber: Fiber.Fiber<unknown, unknown>) =>
    Effect.gen(function* () {
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.ignore(execute(ENDED_BUILD, place))
        yield* Effect.sleep(ENDED_EACH_MS)
      }
    })
  const told = yield* Effect.forkChild(onProgress === undefined ? Effect.never : Effect.ignore(telling))
  yield* Fiber.join(building).pipe(
    Effect.onInterrupt(() => ended(building)),
    Effect.ensuring(Fiber.interrupt(told))
  )
  return true
})

/**
 * Drops indexes over embeddings, beside searches, which compare all passages from then on: the `others` of
 * `findVectorIndexes` and, with `all`, the current one of `model`. It keeps those that are being built, and those that
 * replaced an invalid one meanwhile. Returns the dropped ones.
 */
export const dropVectorIndexes = ({
  all,
  dryRun,
  model
}: {
  readonly model: string | undefined
  readonly all: boolean
  readonly dryRun: boolean
}): Effect.Effect<ReadonlyArray<VectorIndex>, DatabaseError, Database | DatabaseOwner> =>
  Effect.gen(function* () {
    const { schema } = yield* Database
    const { execute } = yield* DatabaseOwner
    const { current, others } = yield* findVectorIndexes(model)
    const isLeft = current !== undefined && (all || current.state === "invalid")
    const found = [...others, ...(isLeft ? [current] : [])].filter(({ state }) => state !== "building")
    if (dryRun) return found
    const drop = (index: VectorIndex) =>
      Effect.gen(function* () {
        const { name, state } = index
        if (state === "valid" || name.endsWith(LEFT)) {
          yield* execute(dropText(schema, name))
          return [index]
        }
        const dropSetAside = execute(dropText(schema, setAsideName(name)))
        yield* dropSetAside
        yield* execute(setAsideText(schema, name))
        const [left] = yield* execute("SELECT to_regclass($1) AS index", [
          `${schema}.${quoteIdentifier(setAsideName(name))}`
        ])
        yield* dropSetAside
        return left?.["index"] === null ? [] : [index]
      })
    return (yield* Effect.forEach(found, drop)).flat()
  }).pipe(forPurpose("building"))
