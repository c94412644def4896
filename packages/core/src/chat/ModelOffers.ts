import { Context, Effect, Layer } from "effect"
import { ChatModels } from "../models/ChatModel.ts"
import { Accounts } from "../credits/Accounts.ts"
import { UserId } from "../identity/UserId.ts"
import { inputsOf } from "../storage/inputs.ts"
import type { SessionInvalid } from "../identity/SessionVerifier.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { tierOf, tiersAllowing } from "../tiers/CatalogData.ts"
import { type Model, type ModelPrice, seesImages } from "../models/Model.ts"
import { modelPrice } from "../credits/rules/price.ts"
import type { Tier, TierName } from "../tiers/Tier.ts"
import { PreferenceStore } from "../preferences/Preferences.ts"
import { defaultModel, runnableModels } from "./prepareReply.ts"

/** A model as it is shown to one person. */
export interface OfferedModel {
  readonly id: string
  /** The name that is shown to people. */
  readonly displayName: string
  readonly price: ModelPrice
  readonly maxOutputTokens: number
  /** True if the model sees the images of messages. */
  readonly seesImages: boolean
  /** True if the person's tier includes the model. */
  readonly allowed: boolean
  /** The tiers that include the model. */
  readonly allowedTiers: ReadonlyArray<TierName>
  /** True if the model answers the person's requests that name no model. */
  readonly default: boolean
  /** True if a vendor is configured for the model. */
  readonly available: boolean
  /** The vendor that would answer, for example `offline`; undefined if none is configured. */
  readonly answeredBy: string | undefined
}

/** The models and limits of a person's tier. */
export class ModelOffers extends Context.Service<
  ModelOffers,
  {
    models(
      userId: UserId
    ): Effect.Effect<
      { readonly tier: TierName; readonly models: ReadonlyArray<OfferedModel> },
      SessionInvalid | StorageFailed
    >
    /**
     * Returns the person's tier with those of its models that this server can run; opens the account of a new person.
     */
    tier(userId: UserId): Effect.Effect<Tier, SessionInvalid | StorageFailed>
    /** All tiers, from the lowest to the highest, each with those of its models that this server can run. */
    readonly tiers: Effect.Effect<ReadonlyArray<Tier>>
  }
>()("@parley/core/chat/ModelOffers") {
  static readonly inputs = inputsOf<ModelOffers["Service"]>()({ models: [{ userId: UserId }] })
  static readonly layer = Layer.effect(
    ModelOffers,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const catalog = yield* Catalog
      const models = yield* ChatModels
      const preferences = yield* PreferenceStore
      const offer = (model: Model, tier: Tier, first: string | undefined) =>
        models.resolve(model).pipe(
          Effect.map((provider): string | undefined => provider.name),
          Effect.orElseSucceed(() => undefined),
          Effect.map((answeredBy): OfferedModel => {
            return {
              id: model.id,
              displayName: model.displayName ?? model.vendorModel,
              price: modelPrice(model),
              maxOutputTokens: model.maxOutputTokens,
              seesImages: seesImages(model),
              allowed: tier.models.includes(model.id),
              allowedTiers: tiersAllowing(catalog, model.id),
              default: model.id === first,
              available: answeredBy !== undefined,
              answeredBy
            }
          })
        )
      const runnable = yield* runnableModels
      const offered = (tier: Tier) => Effect.map(runnable(tier), (ids): Tier => ({ ...tier, models: ids }))
      return ModelOffers.of({
        tier: (userId) => Effect.flatMap(accounts.of(userId), ({ tier }) => offered(tierOf(catalog, tier))),
        tiers: Effect.forEach(catalog.tiers, offered),
        models: Effect.fn("ModelOffers.models")(function* (userId) {
          const tier = tierOf(catalog, (yield* accounts.of(userId)).tier)
          const { modelId } = yield* preferences.get(userId)
          const first = yield* Effect.map(runnable(tier), defaultModel(tier, modelId))
          return {
            tier: tier.name,
            models: yield* Effect.forEach(catalog.models, (model) => offer(model, tier, first))
          }
        })
      })
    })
  )
}
