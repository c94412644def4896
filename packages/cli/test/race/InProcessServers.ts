import { runtimeOf } from "@parley/core/effect"
import { DatabaseOwner, type OpenDatabase, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { createHttpServer, makeDevelopmentSessions, parleyApp, RequestTracker } from "@parley/adapters-http"
import { createParley, type Parley } from "@parley/core"
import { type ChatModel, ChatModels, DocumentParser, DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"

const developmentSessions = makeDevelopmentSessions()

/** One of several servers on one database, with its own connections, ledger and queues. */
export interface InProcessServer {
  readonly url: string
  readonly parley: Parley
  close(): Promise<void>
}

const models = (model: ChatModel) => ChatModels.of({ resolve: () => Effect.succeed(model) })
const noParser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) })

/** Starts a server in this process on a Postgres database; the others know the sessions that it creates. */
export const startInProcess = async (
  database: { readonly url: string; readonly schema: string },
  model: ChatModel,
  config: unknown
): Promise<InProcessServer> => {
  const opened: OpenDatabase = await openDatabase({ ...database, maxConnections: 12 })
  const parley = await createParley({
    ...opened,
    models: models(model),
    parser: noParser,
    config,
    work: ["holds"]
  })
  const requests = new RequestTracker()
  const app = parleyApp({
    runtime: runtimeOf(parley),
    sessions: developmentSessions.verifier,
    developmentSessions,
    requests,
    // A test sets a visitor's address in X-Forwarded-For.
    trustProxy: 1
  })
  const server = createHttpServer(app, { requests })
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 })
  return {
    url: `http://127.0.0.1:${port}`,
    parley,
    close: async () => {
      await server.close({ deadlineMs: 1_000 })
      await parley.close()
      await opened.close()
    }
  }
}

/** Drops the schema of a test. */
export const dropSchema = (url: string, schema: string): Promise<void> =>
  Effect.runPromise(
    Effect.provide(
      DatabaseOwner.use(({ asOwner }) =>
        asOwner((sql) =>
          sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
        )
      ),
      PgDatabaseLayer({ url, schema })
    )
  )
