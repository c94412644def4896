import type { Model } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../../api/billing.ts"
import type { Conversation } from "../Conversation.ts"
import { useFacts } from "../useConversation.ts"

/** The models that this server can run; undefined until they are read. */
export const useRunnableModels = (): ReadonlyArray<Model> | undefined =>
  useQuery(modelsQuery).data?.filter(({ available }) => available)

/** The model that answers the next question. */
export const useChosenModel = (conversation: Conversation): Model | undefined => {
  const { modelId } = useFacts(conversation)
  const models = useRunnableModels() ?? []
  return models.find(({ id }) => id === modelId) ?? models.find((model) => model.default) ?? models[0]
}
