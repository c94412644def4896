import { Effect } from "effect"
import { ChatModels, ModelUnavailable } from "./ChatModel.ts"

/** No models, for programs that only meter their own work: every call fails because no model is configured. */
export const noModels: ChatModels["Service"] = ChatModels.of({
  resolve: ({ id }) => Effect.fail(new ModelUnavailable({ model: id }))
})
