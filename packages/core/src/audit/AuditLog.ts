import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** What an operator does. */
export interface AuditEntry {
  /** The command, for example `credits adjust`. */
  readonly action: string
  /** Who: a name that the operator gives, or that of the operating system's user. */
  readonly by: string
  /** Whom it is about; undefined where it is about nobody or everybody. */
  readonly userId: UserId | undefined
  /** Why, in the operator's words. */
  readonly reason: string | undefined
  /** What exactly, for example `200 credits`. */
  readonly details: string
}

export interface StoredAuditEntry extends AuditEntry {
  /** Grows with each entry. */
  readonly number: number
  /** Unix milliseconds, by the storage's clock. */
  readonly at: number
}

export interface ListAuditInput {
  readonly userId: UserId | undefined
  /** Only from this moment on, in Unix milliseconds. */
  readonly since: number | undefined
  /** Only entries before the one of this number. */
  readonly before: number | undefined
  readonly limit: number
}

/** Keeps what operators did. Entries are never changed or removed but where a person is erased. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Enters what is done; as part of the unit of work that does it, where there is one. */
    record(entry: AuditEntry): Effect.Effect<void, StorageFailed>
    /** Entries, the newest first. */
    list(input: ListAuditInput): Effect.Effect<ReadonlyArray<StoredAuditEntry>, StorageFailed>
  }
>()("@parley/core/audit/AuditLog") {}
