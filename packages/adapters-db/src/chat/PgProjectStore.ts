import { type Project, ProjectStore, storableText } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { CHAT, uuidOrNil } from "./chatSql.ts"
import { chatOf, type ChatRow } from "./PgChatStore.ts"

interface ProjectRow extends Row {
  readonly id: string
  readonly name: string
  readonly instructions: string
  readonly document_ids: ReadonlyArray<string>
  readonly created_at: Date
}

const projectOf = ({ created_at, document_ids, id, instructions, name }: ProjectRow): Project => ({
  id,
  name,
  instructions,
  documentIds: document_ids,
  createdAt: created_at.getTime()
})

const projectSql = (schema: string) => {
  const table = `${schema}.projects`
  const columns = "id, name, instructions, document_ids, created_at"
  return {
    list: `SELECT ${columns} FROM ${table} WHERE user_id = $1 ORDER BY created_at DESC, id`,
    get: `SELECT ${columns} FROM ${table} WHERE user_id = $1 AND id = $2`,
    /** Makes creations of one person's projects run one after another, so that their number never exceeds the limit. */
    lockOwner: "SELECT pg_advisory_xact_lock(hashtextextended($1, 7070))",
    create: `INSERT INTO ${table} (user_id, id, name, instructions, document_ids)
      SELECT $1, $2, $3, $4, $5::uuid[] WHERE (SELECT count(*) FROM ${table} WHERE user_id = $1) < $6
      RETURNING ${columns}`,
    change: `UPDATE ${table} SET name = coalesce($3, name), instructions = coalesce($4, instructions),
      document_ids = coalesce($5::uuid[], document_ids) WHERE user_id = $1 AND id = $2 RETURNING ${columns}`,
    remove: `DELETE FROM ${table} WHERE user_id = $1 AND id = $2 RETURNING id`,
    place: `UPDATE ${schema}.chats
      SET project_id = (SELECT p.id FROM ${table} p WHERE p.user_id = $1 AND p.id = $3::uuid FOR KEY SHARE)
      WHERE user_id = $1 AND bot = '' AND visitor = '' AND id = $2 RETURNING ${CHAT}`
  }
}

/** Projects in Postgres or PGlite. Statements run with the rights of the projects' owner. */
export const PgProjectStoreLayer: Layer.Layer<ProjectStore, never, Database> = Layer.effect(
  ProjectStore,
  Effect.map(Database, ({ asUser, schema, statementAsUser }) => {
    const sql = projectSql(schema)
    const one = (userId: string, text: string, params: ReadonlyArray<unknown>) =>
      Effect.map(statementAsUser<ProjectRow>(userId, text, [userId, ...params]), ([row]) => row && projectOf(row))

    return ProjectStore.of({
      list: (userId) =>
        storing("ProjectStore.list")(
          Effect.map(statementAsUser<ProjectRow>(userId, sql.list, [userId]), (rows) => rows.map(projectOf))
        ),
      get: (userId, id) => storing("ProjectStore.get")(one(userId, sql.get, [uuidOrNil(id)])),
      create: (userId, { documentIds, id, instructions, name }, most) =>
        storing("ProjectStore.create")(
          asUser(userId, ({ query }) =>
            Effect.gen(function* () {
              yield* query(sql.lockOwner, [`${schema} projects ${userId}`])
              const values = [userId, id, storableText(name), storableText(instructions), documentIds, most]
              const [row] = yield* query<ProjectRow>(sql.create, values)
              return row && projectOf(row)
            })
          )
        ),
      change: (userId, id, { documentIds = null, instructions = null, name = null }) => {
        const texts = [name, instructions].map((text) => (text === null ? null : storableText(text)))
        return storing("ProjectStore.change")(one(userId, sql.change, [uuidOrNil(id), ...texts, documentIds]))
      },
      remove: (userId, id) =>
        storing("ProjectStore.remove")(
          Effect.map(statementAsUser(userId, sql.remove, [userId, uuidOrNil(id)]), (rows) => rows.length > 0)
        ),
      place: (userId, chatId, projectId) => {
        const params = [userId, uuidOrNil(chatId), projectId === null ? null : uuidOrNil(projectId)]
        return storing("ProjectStore.place")(
          Effect.map(statementAsUser<ChatRow>(userId, sql.place, params), ([row]) => row && chatOf(userId, row))
        )
      }
    })
  })
)
