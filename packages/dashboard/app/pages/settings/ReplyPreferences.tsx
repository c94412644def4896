import type { Model, Preferences } from "@parley/client"
import { Button, Group, NativeSelect, Text, Textarea } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { modelsQuery } from "../../api/billing.ts"
import { parley } from "../../api/parley.ts"
import { useModelName } from "../../messages/useModelName.ts"
import { Section, Setting } from "./SettingRows.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { useSharingMessages } from "../../sharing/useSharingMessages.ts"

const MOST_CHARACTERS = 4_000

/** The section with the person's model for new chats and instructions for replies. */
export const ReplyPreferences = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ["preferences"],
    queryFn: ({ signal }) => parley.call("getPreferences", {}, { signal })
  })
  const { data: models } = useQuery(modelsQuery)
  const { t } = useSharingMessages()
  return (
    <Section title={t("preferences.title")}>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && models !== undefined && <PreferencesForm stored={data} models={models} />}
    </Section>
  )
}

interface FormProps {
  readonly stored: Preferences
  readonly models: ReadonlyArray<Model>
}

const PreferencesForm = ({ stored, models }: FormProps) => {
  const { t } = useSharingMessages()
  const modelName = useModelName()
  const queryClient = useQueryClient()
  const [changed, setChanged] = useState<Partial<Preferences>>({})
  const { instructions, modelId } = { ...stored, ...changed }
  const save = useMutation({
    mutationFn: () => parley.call("setPreferences", { body: { instructions, modelId } }),
    onSuccess: (kept) => {
      queryClient.setQueryData(["preferences"], kept)
      setChanged({})
      void queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey })
    }
  })
  const change = (next: Partial<Preferences>) => {
    save.reset()
    setChanged({ ...changed, ...next })
  }
  const offered = models.filter(({ allowed, available, id }) => (allowed && available) || id === modelId)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Setting label={t("preferences.model")}>
        <NativeSelect
          aria-label={t("preferences.model")}
          value={modelId ?? ""}
          onChange={({ currentTarget: { value } }) => change({ modelId: value === "" ? null : value })}
          data={[
            { value: "", label: t("preferences.model.firstOfPlan") },
            ...offered.map(({ id }) => ({ value: id, label: modelName(id) }))
          ]}
        />
      </Setting>
      <Textarea
        mt="sm"
        label={t("preferences.instructions")}
        description={t("preferences.instructions.text")}
        rows={5}
        maxLength={MOST_CHARACTERS}
        value={instructions}
        onChange={({ currentTarget: { value } }) => change({ instructions: value })}
      />
      {save.error !== null && <ProblemNotice error={save.error} onDismiss={save.reset} />}
      <Group justify="flex-end" mt="sm">
        <Text size="sm" c="dimmed" role="status">
          {save.isSuccess && t("preferences.saved")}
        </Text>
        <Button type="submit" loading={save.isPending} disabled={Object.keys(changed).length === 0}>
          {t("preferences.save")}
        </Button>
      </Group>
    </form>
  )
}
