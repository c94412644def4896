import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"

/** A bot and its owner. */
interface BotName {
  readonly owner: string
  readonly botId: string
}

/** The owners of the public keys of bots over all cells, in the global database. */
export interface BotKeyDirectory {
  ownerOf(key: string): Effect.Effect<string | undefined, DatabaseError>
  add(bot: BotName, keys: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  remove(keys: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  removeOf(bot: BotName): Effect.Effect<void, DatabaseError>
}

/** The most owners of keys in memory. The owner of a key never changes. */
const MOST_KNOWN = 10_000

/** The statements, on the global database. A key that was found before costs none. */
export const botKeyDirectory = ({ schema, statement }: Database["Service"]): BotKeyDirectory => {
  const known = new Map<string, string>()
  const note = (key: string, owner: string | undefined) => {
    if (owner === undefined) return undefined
    known.set(key, owner)
    const [oldest] = known.keys()
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
    return owner
  }
  return {
    ownerOf: (key) =>
      Effect.suspend(() => {
        const owner = known.get(key)
        if (owner !== undefined) return Effect.succeed(owner)
        const text = `SELECT owner FROM ${schema}.bot_owners WHERE key = $1`
        return Effect.map(statement<{ owner: string }>(text, [key]), ([row]) => note(key, row?.owner))
      }),
    add: ({ botId, owner }, keys) =>
      Effect.asVoid(
        statement(
          `INSERT INTO ${schema}.bot_owners (key, owner, bot_id) SELECT k.key, $2, $3::uuid FROM unnest($1::text[]) AS k(key)
           ON CONFLICT DO NOTHING`,
          [keys, owner, botId]
        )
      ),
    remove: (keys) =>
      Effect.suspend(() => {
        for (const key of keys) known.delete(key)
        return Effect.asVoid(statement(`DELETE FROM ${schema}.bot_owners WHERE key = ANY($1::text[])`, [keys]))
      }),
    removeOf: ({ botId, owner }) =>
      Effect.asVoid(
        statement(`DELETE FROM ${schema}.bot_owners WHERE owner = $1 AND bot_id = $2::uuid`, [owner, botId])
      )
  }
}
