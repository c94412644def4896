import { Button, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "react-router"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "../shell/Message.module.css"

/** The page for an unknown address. Its content names the missing thing if it is known. */
export const NotFoundPage = ({ children }: { readonly children?: ReactNode }) => {
  const { t } = useMessages()
  return (
    <div className={classes.place}>
      <Title order={1} size="h3">
        {t("app.notFound.title")}
      </Title>
      <Text c="dimmed">{children ?? t("app.notFound.text")}</Text>
      <Button component={Link} to="/">
        {t("app.notFound.action")}
      </Button>
    </div>
  )
}
