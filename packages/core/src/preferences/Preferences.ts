import { Clock, Context, Effect, Layer, Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { inputsOf } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { storableText } from "../storage/storedForms.ts"
import { countOf } from "../storage/spokenNumbers.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { findModel } from "../tiers/CatalogData.ts"

/** The maximum number of characters of a person's instructions, and of a project's. */
export const MAX_INSTRUCTIONS = 4_000

/** A person's preferences for the replies in their own chats. */
export const Preferences = Schema.Struct({
  instructions: Schema.String.annotate({
    description: "Instructions for the model before every conversation, at most 4,000 characters; empty for none."
  }),
  modelId: Schema.NullOr(Schema.String).annotate({
    description:
      "The model that answers if a request names none. The first of the tier answers if this is null, the tier does not have the model, or the server does not run it."
  })
})
export type Preferences = typeof Preferences.Type

/** The preferences of a person who has not stored any. */
export const NO_PREFERENCES: Preferences = { instructions: "", modelId: null }

/**
 * Milliseconds for which a process remembers preferences, because reading them for each reply would cost a transaction.
 * Other processes therefore use changed preferences after at most this time.
 */
const REMEMBERED_MS = 10_000
const REMEMBERED_PEOPLE = 10_000

/** The preferences are invalid; nothing was changed. */
export class InvalidPreferences extends Schema.TaggedError<InvalidPreferences>()("InvalidPreferences", {
  field: Schema.Literals(["instructions", "modelId"]),
  expected: Schema.String
}) {
  readonly code = "invalid_preferences"
  override get message() {
    return `The settings cannot be stored: ${this.field}: expected ${this.expected}.`
  }
}

/** Stores the preferences of people. */
export class PreferenceStore extends Context.Service<
  PreferenceStore,
  {
    /** The preferences of a person; `NO_PREFERENCES` if none are stored. */
    get(userId: UserId): Effect.Effect<Preferences, StorageFailed>
    /** Stores preferences in place of earlier ones. */
    set(userId: UserId, preferences: Preferences): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/preferences/PreferenceStore") {}

/**
 * The preferences of people for replies in their own chats. They do not apply to replies to bots' visitors and to
 * service keys.
 */
export class PreferenceService extends Context.Service<
  PreferenceService,
  {
    /** Returns the preferences of a person; empty ones if none are stored. */
    get(userId: UserId): Effect.Effect<Preferences, StorageFailed>
    /**
     * Returns the preferences for a reply; they may be up to ten seconds old, if this process has read or stored them.
     */
    ofReply(userId: UserId): Effect.Effect<Preferences, StorageFailed>
    /** Stores preferences in place of earlier ones, and returns them as they are stored. */
    set(userId: UserId, preferences: Preferences): Effect.Effect<Preferences, InvalidPreferences | StorageFailed>
  }
>()("@parley/core/preferences/PreferenceService") {
  static readonly inputs = inputsOf<PreferenceService["Service"]>()({
    get: [{ userId: UserId }],
    set: [{ userId: UserId }, { preferences: Preferences }]
  })
  static readonly layer = Layer.effect(
    PreferenceService,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const store = yield* PreferenceStore
      /** The remembered preferences, in the order in which they were read. */
      const remembered = new Map<UserId, { readonly preferences: Preferences; readonly until: number }>()
      const remember = (userId: UserId, preferences: Preferences, now: number) => {
        remembered.delete(userId)
        remembered.set(userId, { preferences, until: now + REMEMBERED_MS })
        for (const [oldest] of remembered) {
          if (remembered.size <= REMEMBERED_PEOPLE) break
          remembered.delete(oldest)
        }
      }
      return PreferenceService.of({
        get: (userId) => store.get(userId),
        ofReply: Effect.fnUntraced(function* (userId) {
          const now = yield* Clock.currentTimeMillis
          const known = remembered.get(userId)
          if (known !== undefined && now < known.until) return known.preferences
          const preferences = yield* store.get(userId)
          remember(userId, preferences, now)
          return preferences
        }),
        set: Effect.fn("PreferenceService.set")(function* (userId, given) {
          const instructions = storableText(given.instructions).trim()
          if (Array.from(instructions).length > MAX_INSTRUCTIONS) {
            const expected = `at most ${countOf(MAX_INSTRUCTIONS, "character")}`
            return yield* new InvalidPreferences({ field: "instructions", expected })
          }
          const { modelId } = given
          if (modelId !== null && findModel(catalog, modelId) === undefined) {
            const expected = `one of ${catalog.models.map(({ id }) => id).join(", ")}`
            return yield* new InvalidPreferences({ field: "modelId", expected })
          }
          const preferences = { instructions, modelId }
          yield* store.set(userId, preferences)
          remember(userId, preferences, yield* Clock.currentTimeMillis)
          return preferences
        })
      })
    })
  )
}
