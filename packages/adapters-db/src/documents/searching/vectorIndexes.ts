import type { StorageFailed } from "@parley/core/adapter"
import { Effect, Fiber, Schema } from "effect"
import { Database, type DatabaseError, type Row } from "../../database/Database.ts"
import { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import { forPurpose } from "../../database/limits.ts"
import { quoteIdentifier, quoteLiteral } from "../../database/quoting.ts"

/** The first version of pgvector in which a search through an index continues until enough rows pass the filter. */
const LEAST_PGVECTOR = [0, 8] as const
/** Milliseconds between two reports of progress. */
const TOLD_EACH_MS = 1_000
/** Milliseconds between two requests that the server end a build. */
const ENDED_EACH_MS = 100
/**
 * The approximate bytes that the links of a passage take in the graph, overhead included: pgvector's default number of
 * neighbours, and twice as many on the lowest level.
 */
const GRAPH_BYTES = 450

/** An approximate index over embeddings. */
export interface VectorIndex {
  readonly name: string
  /** The model of the indexed embeddings: provider, name and dimensions. */
  readonly model: string
  /** The index of an interrupted build is `invalid`: it takes space and time, but is not searched. */
  readonly state: "valid" | "building" | "invalid"
  readonly bytes: number
  /** The database's estimate of the number of indexed passages. */
  readonly passages: number
}

/** The indexes over embeddings in a database. None of them is `current` if no embedder is configured. */
export interface VectorIndexes {
  /** The version of pgvector in the database; undefined if it has none. */
  readonly pgvector: string | undefined
  /** The index over the embeddings of the configured embedder's model. */
  readonly current: VectorIndex | undefined
  /** Indexes of other models, and invalid indexes that interrupted builds have left. */
  readonly others: ReadonlyArray<VectorIndex>
}

/** The reason why an index over embeddings is not built. */
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
  /** The provider, name and dimensions of the model, in the form in which they are stored with embeddings. */
  readonly model: string
  readonly dimensions: number
}

interface FoundIndex extends Row, VectorIndex {
  readonly current: boolean
}

const EXTENSION = `SELECT extversion AS version, nspname AS schema FROM pg_extension
  JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'`

/**
 * Lists the indexes over embeddings. The model of an index is read from its condition, as Postgres writes it. SQL
 * parameter: the model of the configured embedder, or null.
 */
const listText = (schema: string) => `SELECT c.relname::text AS name, pg_relation_size(c.oid)::float8 AS bytes,
    greatest(c.reltuples, 0)::float8 AS passages, coalesce(c.relname = ${schema}.vector_index($1), false) AS current,
    coalesce(replace(substring(pg_get_expr(i.indpred, i.indrelid) FROM '''(.*)''::text'), '''''', ''''), '') AS model,
    CASE WHEN i.indisvalid THEN 'valid' WHEN EXISTS (
      SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid
    ) THEN 'building' ELSE 'invalid' END AS state
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = ${quoteLiteral(`${schema}.passage_embeddings`)}::regclass AND starts_with(c.relname, 'passage_vectors_')
  ORDER BY c.relname`

/**
 * Finds the indexes over embeddings. The one for `model` is `current`; `model` is undefined if no embedder is
 * configured.
 */
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

/**
 * Returns the number of passages with an embedding of a model, and the memory in bytes that a session may use to build
 * an index.
 */
export const embeddingsOf = (
  model: string
): Effect.Effect<{ readonly passages: number; readonly memory: number }, DatabaseError, Database> =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const [size] = yield* statement<{ readonly passages: number; readonly memory: number }>(sizeText(schema), [model])
    return size ?? { passages: 0, memory: 0 }
  })

/**
 * Returns the approximate memory in bytes that the build needs to hold the whole graph for this number of passages.
 * With less memory, the build takes far longer.
 */
export const buildingMemory = ({ dimensions }: EmbeddedModel, passages: number): number =>
  passages * (dimensions * (dimensions <= 2_000 ? 4 : 2) + GRAPH_BYTES)

/** True if a version of pgvector, in the form that `findVectorIndexes` returns, supports searches through an index. */
export const isRecentPgvector = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > LEAST_PGVECTOR[0] || (major === LEAST_PGVECTOR[0] && minor >= LEAST_PGVECTOR[1])
}

/**
 * Returns a script that waits until no index is being built, and runs `then` before another build can begin. Searches
 * and uploads continue meanwhile. LOCK is a statement of its own because it waits without a snapshot: at its end a
 * build waits for all older snapshots, so waiting for the build with a snapshot would be a deadlock.
 */
const besideNoBuildText = (schema: string, then = "") =>
  `BEGIN; LOCK TABLE ${schema}.passage_embeddings IN SHARE UPDATE EXCLUSIVE MODE; ${then} COMMIT`

/**
 * Renames an invalid index while no build is running, so that the later DROP cannot hit the new index of another
 * command.
 */
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
  /** Called from time to time with the number of passages that the index contains so far. */
  readonly onProgress?: ((passages: number) => Effect.Effect<void>) | undefined
}

/**
 * Builds the index over a model's embeddings unless it exists, while searches and uploads continue. Drops the remains
 * of an interrupted build first. If it is interrupted, it makes the server end the build. Returns true if it has built
 * the index.
 */
export const buildVectorIndex = (
  request: BuildVectorIndex
): Effect.Effect<boolean, DatabaseError | StorageFailed | VectorIndexRefused, Database | DatabaseOwner> =>
  build(request).pipe(
    // Another command began a build at the same moment: tries once more, to see how that build ended.
    Effect.catchIf(isOtherBuild, () => build({ ...request, onBegin: undefined })),
    Effect.catchIf(isOtherBuild, () => Effect.fail(new VectorIndexRefused({ problem: "building" }))),
    forPurpose("building")
  )

const isOtherBuild = (error: DatabaseError | StorageFailed | VectorIndexRefused) =>
  error._tag === "DatabaseError" && (error.sqlState === DUPLICATE || error.sqlState === DEADLOCK)

/**
 * Returns the name and the column type of the index to build, and the schema of pgvector. Fails if the database cannot
 * have the index.
 */
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

/**
 * Returns false if the model already has its index. Otherwise drops the remains of an interrupted build. Fails while
 * another build is running.
 */
const clearPlace = Effect.fnUntraced(function* ({ model, onBegin = Effect.void }: BuildVectorIndex, name: string) {
  const { schema } = yield* Database
  const { execute } = yield* DatabaseOwner
  const needsBuild = Effect.fnUntraced(function* (current: VectorIndex | undefined) {
    return current?.state === "building" ? yield* refuse("building") : current?.state !== "valid"
  })
  if (!(yield* needsBuild((yield* findVectorIndexes(model)).current))) return false
  // Waits for a build that another command may have begun since.
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
  /** Asks the server to end the build until it has ended: the server does not list a build that has just begun. */
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
 * Drops indexes over embeddings while searches continue; searches then compare all passages. It drops the `others` of
 * `findVectorIndexes`, and the index of `model` if that is invalid or if `all` is true. It does not drop indexes that
 * are being built, or that have replaced an invalid index meanwhile. Returns the dropped indexes.
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
