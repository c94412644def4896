import type { Bot } from "@parley/client"
import { Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { serverSettingsQuery } from "../../../api/session.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { newestKey } from "../keys/newestKey.ts"
import classes from "./WidgetPreview.module.css"

export interface WidgetPreviewProps {
  readonly bot: Bot
  /** True if the form beside it differs from the saved settings. */
  readonly isChanged: boolean
}

/** The frame that visitors see, with the saved settings. */
export const WidgetPreview = ({ bot, isChanged }: WidgetPreviewProps) => {
  const { t, language } = useMessages()
  const key = newestKey(bot)
  const { data: settings } = useQuery(serverSettingsQuery)
  return (
    <section aria-label={t("bots.preview")}>
      <Title order={2} size="h4">
        {t("bots.preview")}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t("bots.preview.text")} {isChanged && t("bots.preview.unsaved")}
      </Text>
      {!bot.active ? (
        <p className={classes.off}>{t("bots.preview.off")}</p>
      ) : settings !== undefined ? (
        <iframe
          key={`${key} ${bot.updatedAt} ${language}`}
          className={classes.frame}
          src={`${settings.widgetOrigin ?? ""}/widget/${encodeURIComponent(key)}?lang=${language}#preview`}
          title={t("bots.preview.frame", { name: bot.displayName })}
        />
      ) : (
        <div className={classes.frame} />
      )}
    </section>
  )
}
