import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../../api/models.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"

/** Names models for people; one that is no longer offered has its id, and metered work, which has none, a name of its own. */
export const useModelName = () => {
  const { t } = useMessages()
  const { data: models = [] } = useQuery(modelsQuery)
  return (id: string): string =>
    id === "" ? t("usage.row.work") : (models.find((model) => model.id === id)?.name ?? id)
}
