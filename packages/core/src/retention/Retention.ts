import { Context, Schema } from "effect"
import { AUDIT_KEPT_MS } from "../audit/AuditLog.ts"
import { USED_AGAIN_MS } from "../chat/store/ChatStore.ts"
import { whole } from "../storage/inputs.ts"
import { fromVariable } from "../storage/settingVariables.ts"

const DAY_MS = 86_400_000
const MOST_DAYS = 36_500

const retention = (name: string, shortestMs: number) =>
  fromVariable(whole(shortestMs, Number.MAX_SAFE_INTEGER, `a whole number of milliseconds from ${shortestMs}`), {
    name,
    minimum: shortestMs / DAY_MS,
    maximum: MOST_DAYS,
    unit: DAY_MS
  })

/** Retention times of rows that otherwise stay for ever, in milliseconds. */
export const RetentionData = Schema.Struct({
  /** People's chats, from their last message; a day at least. */
  chatsMs: retention("PARLEY_RETENTION_CHATS", 2 * USED_AGAIN_MS),
  /** Conversations of bots' visitors, from their last message; a day at least. */
  visitorsMs: retention("PARLEY_RETENTION_VISITORS", 2 * USED_AGAIN_MS),
  /** Entries of the audit log; 30 days at least. */
  logsMs: retention("PARLEY_RETENTION_LOGS", AUDIT_KEPT_MS)
})

/** Everything is kept for ever unless configured. */
export class Retention extends Context.Reference<{
  readonly [Name in keyof typeof RetentionData.Type]: number | undefined
}>("@parley/core/retention/Retention", {
  defaultValue: () => ({ chatsMs: undefined, visitorsMs: undefined, logsMs: undefined })
}) {}
