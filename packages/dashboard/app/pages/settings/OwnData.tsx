import type { Me } from "@parley/client"
import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useNavigate } from "react-router"
import { parley } from "../../api/parley.ts"
import { meQuery } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../shell/ConfirmDialog.tsx"
import { forgetDrafts } from "../../session/forgetDrafts.ts"
import { FreshSignInNotice } from "../../shell/FreshSignInNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { saveFile } from "../saveFile.ts"
import { Section, Setting } from "./SettingRows.tsx"

/** The section with which people export or delete their own data. */
export const OwnData = ({ me: { userId } }: { readonly me: Me }) => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const copy = useMutation({
    mutationFn: async () => (await parley.call("exportAccount", {})).blob(),
    onSuccess: (lines) => {
      saveFile(`my-data-${new Date().toISOString().slice(0, 10)}.jsonl`, "application/jsonl", lines)
    }
  })
  const deletion = useMutation({
    mutationFn: () => parley.call("deleteAccount", { body: { userId } }),
    onSuccess: () => {
      forgetDrafts()
      queryClient.setQueryData(meQuery.queryKey, null)
      void navigate("/")
    },
    onError: () => setAsking(false)
  })
  const problem = copy.error ?? deletion.error
  const begin = (work: () => void) => () => {
    copy.reset()
    deletion.reset()
    work()
  }
  return (
    <Section title={t("settings.data")}>
      {problem !== null && <FreshSignInNotice error={problem} />}
      <Setting label={t("settings.export")}>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={copy.isPending}
          onClick={begin(() => copy.mutate())}
        >
          {t("settings.export.action")}
        </Button>
      </Setting>
      <Setting label={t("settings.delete")}>
        <Button variant="default" c="var(--danger)" onClick={begin(() => setAsking(true))}>
          {t("settings.delete.action")}
        </Button>
      </Setting>
      {isAsking && (
        <ConfirmDialog
          title={t("settings.delete.title")}
          text={t("settings.delete.text")}
          action={t("settings.delete.action")}
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  )
}
