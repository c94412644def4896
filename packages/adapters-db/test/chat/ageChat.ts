import type { BeginTurnInput } from "@parley/core/adapter"
import { Effect } from "effect"
import { Database } from "../../src/database/Database.ts"

/** Has a chat be without use for so many milliseconds longer. */
export const ageChat = ({ chatId }: BeginTurnInput, ms: number) =>
  Database.use(({ schema, statement }) =>
    Effect.asVoid(
      statement(
        `UPDATE ${schema}.chats SET updated_at = updated_at - $2::float8 * interval '1 millisecond' WHERE id = $1`,
        [chatId, ms]
      )
    )
  )
