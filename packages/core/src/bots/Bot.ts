import { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { botFields, CanonicalAddress, CanonicalColor, CanonicalSite, handOverEmailOf, sitesOf } from "./botFields.ts"

/** The settings of a bot that its owner chooses. */
export const BotSettings = Schema.Struct({
  ...botFields,
  primaryColor: CanonicalColor.annotate({ description: "The colour of the widget, as #rrggbb." }),
  allowedSites: sitesOf(CanonicalSite),
  handOverEmail: handOverEmailOf(CanonicalAddress)
})
export type BotSettings = typeof BotSettings.Type

/** A public key of a bot. A bot may have several keys, so that a new one can replace an old one while both work. */
export interface BotKey {
  /** `pk_` and 160 random bits. */
  readonly publicKey: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** An assistant that answers the visitors of sites, over its owner's documents and at the owner's expense. */
export interface Bot extends BotSettings {
  readonly id: string
  readonly owner: UserId
  /** The keys, oldest first; at least one. */
  readonly keys: ReadonlyArray<BotKey>
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** Identifies a bot by its owner and its id, as every store does. */
export interface BotName {
  readonly owner: UserId
  readonly botId: string
}
