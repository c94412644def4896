import type { Model } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../api/billing.ts"
import { useMessages } from "./MessagesProvider.tsx"

/**
 * Returns a function that names models for people. The name shows if a stand-in answers in place of the model. A model
 * that is no longer offered is named by its id, and metered work, which has no model, has a separate name.
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

/** True if the offline stand-in answers in place of the model. */
export const isStandIn = ({ answeredBy }: Model): boolean => answeredBy === "offline"
