import type { Model } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../api/billing.ts"
import { useMessages } from "./MessagesProvider.tsx"

/**
 * Names models for people. The name shows if a stand-in answers in the model's place; a model that is no longer
 * offered is shown by its id, and metered work, which has no model, has a name of its own.
 */
export const useModelName = () => {
  const { t } = useMessages()
  const { data: models = [] } = useQuery(modelsQuery)
  return (id: string): string => {
    if (id === "") return t("usage.row.work")
    const model = models.find((each) => each.id === id)
    return model === undefined ? id : isStandIn(model) ? t("model.standIn", { name: model.name }) : model.name
  }
}

/** The offline stand-in answers in its place. */
export const isStandIn = ({ answeredBy }: Model): boolean => answeredBy === "offline"
