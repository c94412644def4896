import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** An action of an operator. */
export interface AuditEntry {
  /** The command, for example `credits adjust`. */
  readonly action: string
  /** The operator: a name that was given, or the name of the operating system's user. */
  readonly by: string
  /** The affected person; undefined if the action does not affect a single person. */
  readonly userId: UserId | undefined
  /** The reason, in the operator's words. */
  readonly reason: string | undefined
  /** Details, for example `200 credits`. */
  readonly details: string
  /** The address from which the operator acted over HTTP; undefined for commands. */
  readonly address?: string | undefined
}

export interface StoredAuditEntry extends AuditEntry {
  /** The number of the entry; it increases with each entry. */
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

/** Milliseconds: entries are stored at least for this time, even if an operator sets a shorter retention. */
export const AUDIT_KEPT_MS = 30 * 86_400_000

/**
 * Stores the actions of operators. Entries never change, except when a person is erased, and are removed only after
 * their retention time.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Records an action, as part of the unit of work if there is one. */
    record(entry: AuditEntry): Effect.Effect<void, StorageFailed>
    /** Entries, the newest first. */
    list(input: ListAuditInput): Effect.Effect<ReadonlyArray<StoredAuditEntry>, StorageFailed>
    /**
     * Removes the oldest entries that are older than `keptMs` by the storage's clock, at most `limit`, and never
     * entries younger than `AUDIT_KEPT_MS`; returns their number. Removes none if another process is removing entries.
     */
    removeOld(input: { readonly keptMs: number; readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/audit/AuditLog") {}
