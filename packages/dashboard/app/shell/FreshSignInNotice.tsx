import { ParleyError } from "@parley/client"
import { Button, Group } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { meQuery, serverSettingsQuery, signOut } from "../api/session.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { ProblemNotice } from "./ProblemNotice.tsx"

/** A failure of a call that may demand a fresh sign-in, with the way to one. */
export const FreshSignInNotice = ({ error }: { readonly error: unknown }) => (
  <>
    <ProblemNotice error={error} />
    {error instanceof ParleyError && error.code === "fresh_sign_in_required" && <SignInAgain />}
  </>
)

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
