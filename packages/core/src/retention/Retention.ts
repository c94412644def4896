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

/** The retention times, in milliseconds, of rows that are otherwise stored for ever. */
export const RetentionData = Schema.Struct({
  /** The retention of people's chats after their last message; at least a day. */
  chatsMs: retention("PARLEY_RETENTION_CHATS", 2 * USED_AGAIN_MS),
  /** The retention of conversations of bots' visitors after their last message; at least a day. */
  visitorsMs: retention("PARLEY_RETENTION_VISITORS", 2 * USED_AGAIN_MS),
  /** The retention of entries of the audit log; at least 30 days. */
  logsMs: retention("PARLEY_RETENTION_LOGS", AUDIT_KEPT_MS)
})

/** The retention in force: everything is stored for ever unless configured. */
export class Retention extends Context.Reference<{
  readonly [Name in keyof typeof RetentionData.Type]: number | undefined
}>("@parley/core/retention/Retention", {
  defaultValue: () => ({ chatsMs: undefined, visitorsMs: undefined, logsMs: undefined })
}) {}
