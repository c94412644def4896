import { type Context, Effect, Layer, Schema, Struct } from "effect"
import { PaymentRetention, PaymentRetentionData } from "./billing/upkeep/PaymentEventSweeper.ts"
import { Branding, BrandingData } from "./branding/Branding.ts"
import { RewriteQuestions } from "./chat/rewriting/RewriteQuestions.ts"
import { TitleSettings, TitleSettingsData } from "./chat/titles/TitleSettings.ts"
import { ReplySettings, ReplySettingsData } from "./chat/prompt/ReplySettings.ts"
import { HoldTtl } from "./credits/holds/keepHolds.ts"
import { ReadingLimits, ReadingLimitsData } from "./documents/reading/processDocument.ts"
import { UploadLimits, UploadLimitsData } from "./documents/storing/UploadLimits.ts"
import { LowBalance, LowBalanceSetting } from "./events/LowBalance.ts"
import { Retention, RetentionData } from "./retention/Retention.ts"
import { expectationsOf } from "./storage/inputs.ts"
import { settingVariables } from "./storage/settingVariables.ts"

const partOf = <Fields extends Schema.Struct.Fields>(struct: Schema.Struct<Fields>) =>
  Schema.optional(struct.mapFields(Struct.map(Schema.optional)))

/**
 * The settings of the services, all with defaults. The schema and the default of each are in its domain. A server, a
 * worker, a command and `createParley` all provide them with `settingsLayer`.
 */
export const ParleySettings = Schema.Struct({
  uploads: partOf(UploadLimitsData),
  replies: partOf(ReplySettingsData),
  /**
   * The titles of people's chats. With `generate`, a model writes a title after the first reply, at no charge unless
   * `credits` is set.
   */
  titles: partOf(TitleSettingsData),
  /**
   * True if the cheapest model of the payer's tier rewrites questions that continue a conversation, for the search in
   * the documents, at the price of that model; default false.
   */
  rewriteQuestions: Schema.optional(RewriteQuestions.schema),
  /** Limits on failed readings of documents. */
  reading: partOf(ReadingLimitsData),
  /** The time in milliseconds after which a hold expires without a renewal; default one minute. */
  holdTtlMs: Schema.optional(HoldTtl.schema),
  /**
   * The threshold for the hook `onLowBalance` and the webhook `balance.low`; default a tenth of the tier's allowance.
   */
  lowBalance: Schema.optional(LowBalanceSetting),
  /** The retention of payment events; default 90 days. */
  paymentRetention: partOf(PaymentRetentionData),
  /** The retention of chats, visitors' conversations and the audit log; default for ever. */
  retention: partOf(RetentionData),
  /** The name, logo and colours of the pages for people; default those of Parley. */
  branding: partOf(BrandingData)
})
export type ParleySettings = typeof ParleySettings.Type

/** The environment variables from which a server reads settings. */
export const SETTING_VARIABLES = settingVariables(ParleySettings.ast)

const expectations = expectationsOf(ParleySettings, { errors: "all", onExcessProperty: "error" })

/** Lists the problems of settings, each with the name of the setting, for example `replies.passageTokens`. */
export const problemsOfSettings = (
  given: object
): ReadonlyArray<{ readonly field: string; readonly expected: string }> => {
  const names = Object.keys(ParleySettings.fields)
  return expectations(Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)))).map(
    ({ expected, path }) => ({ field: path.join("."), expected })
  )
}

/** Returns the defaults, replaced by those fields that are given. */
const merged = <Data extends object>(
  reference: Context.Reference<Data>,
  given: { readonly [Name in keyof Data]?: Data[Name] | undefined } | undefined
) => {
  const chosen = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return chosen.length === 0
    ? Layer.empty
    : Layer.effect(
        reference,
        Effect.map(reference, (defaults) => ({ ...defaults, ...Object.fromEntries(chosen) }))
      )
}

const replaced = <Data>(reference: Context.Reference<Data>, given: Data | undefined) =>
  given === undefined ? Layer.empty : Layer.succeed(reference, given)

/** Provides the settings to the services; settings that are not given keep their defaults. */
export const settingsLayer = (given: ParleySettings): Layer.Layer<never> =>
  Layer.mergeAll(
    merged(UploadLimits, given.uploads),
    merged(ReplySettings, given.replies),
    merged(TitleSettings, given.titles),
    replaced(RewriteQuestions, given.rewriteQuestions),
    merged(ReadingLimits, given.reading),
    replaced(HoldTtl, given.holdTtlMs),
    replaced(LowBalance, given.lowBalance),
    merged(PaymentRetention, given.paymentRetention),
    merged(Retention, given.retention),
    merged(Branding, given.branding)
  )
