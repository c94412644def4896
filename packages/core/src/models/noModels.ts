import { Effect } from "effect"
import { ChatModels, ModelUnavailable } from "./ChatModel.ts"

/** No model at all, for programs that only meter their own work: who asks for one is told that it is not set up. */
export const noModels: ChatModels["Service"] = ChatModels.of({
  resolve: ({ id }) => Effect.fail(new ModelUnavailable({ model: id }))
})
