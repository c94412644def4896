import { Context, Effect } from "effect"

/** Where new identifiers come from: random UUIDs (RFC 9562, version 4) unless a test provides its own. */
export class IdGenerator extends Context.Reference<{ readonly next: Effect.Effect<string> }>(
  "@parley/core/storage/IdGenerator",
  { defaultValue: () => ({ next: Effect.sync(() => crypto.randomUUID()) }) }
) {}
