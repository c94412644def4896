import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** An action of an operator. */
export interface AuditEntry {
  /** The command, for example `credits adjust`. */
  readonly action: string
  /** The operator: a given name, or the operating system's user. */
  readonly by: string
  /** The person concerned; undefined if the action concerns no single person. */
  readonly userId: UserId | undefined
  /** The reason, in the operator's words. */
  readonly reason: string | undefined
  /** Details, for example `200 credits`. */
  readonly details: string
  /** The address from which the operator acted over HTTP; undefined for commands. */
  readonly address?: string | undefined
}

export interface StoredAuditEntry extends AuditEntry {
  /** Grows with each entry. */
  readonly number: number
  /** Unix milliseconds, by the storage's clock. */
  readonly at: number
}

export interface ListAuditInput {
  readonly userId: UserId | undefined
  /** Only entries since this time, in Unix milliseconds. */
  readonly since: number | undefined
  /** Only entries before the one with this number. */
  readonly before: number | undefined
  readonly limit: number
}

/** Entries are kept for this long at least, whatever an operator sets. Milliseconds. */
export const AUDIT_KEPT_MS = 30 * 86_400_000

/**
 * Stores the actions of operators. Entries never change, except when a person is erased, and are removed only after
 * their retention.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Records an action, within its unit of work if there is one. */
    record(entry: AuditEntry): Effect.Effect<void, StorageFailed>
    /** Entries, the newest first. */
    list(input: ListAuditInput): Effect.Effect<ReadonlyArray<StoredAuditEntry>, StorageFailed>
    /**
     * Removes the oldest entries that were kept for longer than `keptMs` by the storage's clock, at most `limit`, but none
     * younger than `AUDIT_KEPT_MS`; returns their number. If another process is removing entries, it removes none.
     */
    removeOld(input: { readonly keptMs: number; readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/audit/AuditLog") {}
