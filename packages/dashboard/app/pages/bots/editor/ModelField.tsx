import { NativeSelect } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../../../api/billing.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { useModelName } from "../../../messages/useModelName.ts"

export interface ModelFieldProps {
  readonly modelId: string | null
  readonly onChange: (modelId: string | null) => void
}

/** The field for the model that answers: one that this server can run and the person's plan includes. */
export const ModelField = ({ modelId, onChange }: ModelFieldProps) => {
  const { t } = useMessages()
  const modelName = useModelName()
  const { data: models = [] } = useQuery(modelsQuery)
  return (
    <NativeSelect
      label={t("bots.model")}
      value={modelId ?? ""}
      onChange={({ currentTarget: { value } }) => onChange(value === "" ? null : value)}
      data={[
        { value: "", label: t("bots.model.default") },
        ...models
          .filter(({ available, id }) => available || id === modelId)
          .map(({ allowed, available, id }) => ({
            value: id,
            label: allowed ? modelName(id) : t("bots.model.notInPlan", { name: modelName(id) }),
            disabled: (!allowed || !available) && id !== modelId
          }))
      ]}
    />
  )
}
