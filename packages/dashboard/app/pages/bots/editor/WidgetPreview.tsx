import { Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Bot } from "../../../api/bots.ts"
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
  const { t } = useMessages()
  const key = newestKey(bot)
  const { data: settings } = useQuery(serverSettingsQuery)
  const widgetOrigin = settings?.widgetOrigin ?? undefined
  const isFresh = useFreshConfig(bot, key, settings !== undefined && widgetOrigin === undefined)
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
      ) : isFresh || widgetOrigin !== undefined ? (
        <iframe
          key={`${key} ${bot.updatedAt}`}
          className={classes.frame}
          src={`${widgetOrigin ?? ""}/widget/${encodeURIComponent(key)}`}
          title={t("bots.preview.frame", { name: bot.displayName })}
        />
      ) : (
        <div className={classes.frame} />
      )}
    </section>
  )
}

/**
 * Browsers cache a bot's configuration for a while: after a change the preview has to load the new one at once. From
 * another origin it cannot be loaded here; the preview then shows the change after that while.
 */
const useFreshConfig = ({ active, updatedAt }: Bot, key: string, isOwnOrigin: boolean): boolean =>
  useQuery({
    queryKey: ["widget-config", key, updatedAt],
    queryFn: async ({ signal }) => {
      await fetch(`/api/widget/config/${encodeURIComponent(key)}`, { cache: "reload", signal })
      return true
    },
    enabled: active && isOwnOrigin,
    staleTime: Infinity,
    retry: false
  }).isFetched
