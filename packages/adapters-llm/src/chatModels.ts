import { type ChatModel, ChatModels, ModelUnavailable } from "@parley/core/adapter"
import type { Vendor } from "@parley/core"
import { Effect, Layer } from "effect"
import { OfflineChatModel } from "./offline/OfflineChatModel.ts"

/** The providers that are set up, by the name that models have for their vendor: those that ship, or one of your own. */
export interface ChatModelProviders extends Partial<Readonly<Record<Vendor, ChatModel>>> {
  readonly [vendor: string]: ChatModel | undefined
  /** The stand-in for when no vendor is set up; the usual one unless given. */
  readonly offline?: ChatModel
}

/**
 * Which provider runs which model. With no vendor at all, the offline model answers for every model. Once one vendor is
 * set up, the other's models are unavailable: a stand-in never replies for a model that people take to be real.
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

/** The same as a layer. */
export const chatModelsLayer = (providers: ChatModelProviders = {}): Layer.Layer<ChatModels> =>
  Layer.succeed(ChatModels, chatModels(providers))
