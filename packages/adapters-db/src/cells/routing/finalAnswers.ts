import { StorageFailed } from "@parley/core/adapter"
import { Exit } from "effect"

/** Methods that always write if they succeed, although their result says nothing. The fence proves their place. */
const WRITES = new Set([
  "access.change",
  "billing.pin",
  "chats.beginTurn",
  "files.write",
  "images.add",
  "jobs.enqueue",
  "outbox.conclude",
  "outbox.publish",
  "personalData.begin",
  "preferences.set"
])

/** Results by which a method says that it changed nothing: because of what is stored, or of what is not. */
const NOTHING_DONE = new Set([
  "AccountInUse",
  "Busy",
  "Changed",
  "Full",
  "Known",
  "Last",
  "Lost",
  "NoBot",
  "NoConversation",
  "NoKey",
  "TooMany"
])

const isNothing = (value: unknown): boolean => {
  if (typeof value === "string") return value === "" || NOTHING_DONE.has(value)
  if (typeof value !== "object" || value === null) return !value
  if (Array.isArray(value)) return value.length === 0
  if (value instanceof Map) return value.size === 0
  if (value instanceof Uint8Array) return false
  const { _tag, ...fields } = value as Readonly<Record<string, unknown>>
  if (typeof _tag === "string" && NOTHING_DONE.has(_tag)) return true
  // Holds and chats that a heartbeat did not find.
  if (Array.isArray(fields["gone"])) return fields["gone"].length > 0
  if (fields["isHoldGone"] === true || fields["isChatGone"] === true) return true
  return Object.entries(fields).every(([name, field]) => name === "userId" || isNothing(field))
}

const saysNothing = (value: unknown): boolean =>
  isNothing(value) ||
  (Array.isArray(value) && value.some((item) => item?.isHoldGone === true || item?.isChatGone === true))

/**
 * True if an answer may only mean that the owner lives elsewhere: nothing was found, or a rule refused the call because
 * of what is stored. Such a call has written nothing, so that it can be repeated.
 */
export const isDoubtful = (method: string, exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return !WRITES.has(method) && saysNothing(exit.value)
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" && !(reason.error instanceof StorageFailed)
}
