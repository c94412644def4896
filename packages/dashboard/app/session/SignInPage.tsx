import { Button, Text, TextInput, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { parley } from "../api/parley.ts"
import { serverSettingsQuery } from "../api/session.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { brandOf } from "../brand/brandOf.ts"
import { Loading } from "../shell/Loading.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import classes from "./SignInPage.module.css"

export interface SignInPageProps {
  /** True if the person was signed in on this page before and the session has ended. */
  readonly hasEnded: boolean
  readonly onSignedIn: () => Promise<unknown>
}

/** The page for people who are not signed in: the development form, or a link to the identity provider. */
export const SignInPage = ({ hasEnded, onSignedIn }: SignInPageProps) => {
  const { t } = useMessages()
  const { data: settings, error, refetch } = useQuery(serverSettingsQuery)
  if (error != null) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (settings === undefined) return <Loading />
  const brand = brandOf()
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <img src={brand.logo} alt="" className={classes.logo} />
        <Title order={1} size="h2">
          {t("signIn.title", { name: brand.name })}
        </Title>
        <Text c="dimmed">{hasEnded ? t("signIn.ended") : t("signIn.text")}</Text>
        {settings.signIn.kind === "development" ? (
          <DevelopmentForm onSignedIn={onSignedIn} />
        ) : settings.signIn.url === null ? (
          <Text>{t("signIn.noAddress")}</Text>
        ) : (
          <Button component="a" href={settings.signIn.url} size="md" fullWidth>
            {t("signIn.elsewhere")}
          </Button>
        )}
      </div>
    </main>
  )
}

const DevelopmentForm = ({ onSignedIn }: Pick<SignInPageProps, "onSignedIn">) => {
  const { t } = useMessages()
  const [email, setEmail] = useState("")
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem(undefined)
    setSending(true)
    try {
      await parley.call("signInForDevelopment", { body: { email: email.trim() } })
      await onSignedIn()
    } catch (error) {
      setProblem(error)
    } finally {
      setSending(false)
    }
  }
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <TextInput
        label={t("signIn.email")}
        type="email"
        name="email"
        autoComplete="email"
        required
        withAsterisk={false}
        size="md"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        data-autofocus
        autoFocus
      />
      <Button type="submit" size="md" fullWidth loading={isSending}>
        {t("signIn.submit")}
      </Button>
      {problem !== undefined && <ProblemNotice error={problem} />}
      <Text size="sm" c="dimmed">
        {t("signIn.development")}
      </Text>
    </form>
  )
}
