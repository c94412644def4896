import { ParleyError } from "@parley/client"
import { Button, Group } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { meQuery, serverSettingsQuery, signOut } from "../api/session.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { ProblemNotice } from "./ProblemNotice.tsx"

/** The notice of a failure. If the server demands a fresh sign-in, it has a link for signing in again. */
export const FreshSignInNotice = ({ error }: { readonly error: unknown }) => (
  <>
    <ProblemNotice error={error} />
    {error instanceof ParleyError && error.code === "fresh_sign_in_required" && <SignInAgain />}
  </>
)

/** A link for signing in again, if this server knows the address. */
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
