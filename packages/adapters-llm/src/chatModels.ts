import { type ChatModel, ChatModels, ModelUnavailable } from "@parley/core/adapter"
import type { Vendor } from "@parley/core"
import { Effect, Layer } from "effect"
import { OfflineChatModel } from "./offline/OfflineChatModel.ts"

/**
 * The configured providers, by the vendor name that models have in the catalog: the vendors that Parley contains, or
 * your own.
 */
export interface ChatModelProviders extends Partial<Readonly<Record<Vendor, ChatModel>>> {
  readonly [vendor: string]: ChatModel | undefined
  /** The model that replies if no vendor is configured; default `OfflineChatModel`. */
  readonly offline?: ChatModel
}

/**
 * Selects the provider of each model. If no vendor is configured, the offline model answers for every model. If at
 * least one is, models of other vendors are unavailable: the offline model never replies in place of a real one.
 */
export const chatModels = (providers: ChatModelProviders = {}): ChatModels["Service"] => {
  const { offline = new OfflineChatModel(), ...vendors } = providers
  const standIn = Object.values(vendors).every((vendor) => vendor === undefined)
  return ChatModels.of({
    resolve: (model) => {
      const provider = standIn ? offline : vendors[model.vendor]
      return provider === undefined ? Effect.fail(new ModelUnavailable({ model: model.id })) : Effect.succeed(provider)
    }
  })
}

/** The selection of `chatModels` as a layer. */
export const chatModelsLayer = (providers: ChatModelProviders = {}): Layer.Layer<ChatModels> =>
  Layer.succeed(ChatModels, chatModels(providers))
