import { NativeSelect } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { modelsQuery } from "../../api/models.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"

export interface ModelFieldProps {
  readonly modelId: string | null
  readonly onChange: (modelId: string | null) => void
}

/** Which model answers; those that the plan lacks cannot be chosen. */
export const ModelField = ({ modelId, onChange }: ModelFieldProps) => {
  const { t } = useMessages()
  const { data: models = [] } = useQuery(modelsQuery)
  return (
    <NativeSelect
      label={t("bots.model")}
      value={modelId ?? ""}
      onChange={({ currentTarget: { value } }) => onChange(value === "" ? null : value)}
      data={[
        { value: "", label: t("bots.model.default") },
        ...models.map(({ allowed, available, id, name }) => ({
          value: id,
          label: allowed ? name : t("bots.model.notInPlan", { name }),
          disabled: (!allowed || !available) && id !== modelId
        }))
      ]}
    />
  )
}
