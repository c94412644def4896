import { Button, Group } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useNavigate } from "react-router"
import { deleteAccount, exportOwnData } from "../../api/account.ts"
import { ApiProblem } from "../../api/ApiProblem.ts"
import { type Me, meQuery, serverSettingsQuery, signOut } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../shell/ConfirmDialog.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { saveFile } from "../saveFile.ts"
import { Section, Setting } from "./SettingRows.tsx"

/** The person's own data: a copy of it, and its deletion. */
export const OwnData = ({ me: { userId } }: { readonly me: Me }) => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const copy = useMutation({
    mutationFn: exportOwnData,
    onSuccess: (lines) => {
      saveFile(`my-data-${new Date().toISOString().slice(0, 10)}.jsonl`, "application/jsonl", lines)
    }
  })
  const deletion = useMutation({
    mutationFn: () => deleteAccount(userId),
    onSuccess: () => {
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
      {problem !== null && <ProblemNotice error={problem} />}
      {problem instanceof ApiProblem && problem.code === "fresh_sign_in_required" && <SignInAgain />}
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
        <Button variant="default" c="red.8" onClick={begin(() => setAsking(true))}>
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

/** The way to a fresh sign-in, if this server knows one. */
const SignInAgain = () => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const { data: settings } = useQuery(serverSettingsQuery)
  const way = settings?.signIn
  if (way === undefined || (way.kind === "elsewhere" && way.url === null)) return null
  const leave = async () => {
    await signOut(way)
    queryClient.setQueryData(meQuery.queryKey, null)
  }
  return (
    <Group mt="xs">
      {way.kind === "elsewhere" ? (
        <Button component="a" href={way.url ?? undefined}>
          {t("settings.signInAgain")}
        </Button>
      ) : (
        <Button onClick={() => void leave()}>{t("settings.signInAgain")}</Button>
      )}
    </Group>
  )
}
