import type { Bot } from "@parley/client"
import { SegmentedControl, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { serverSettingsQuery } from "../../../api/session.ts"
import { CodeBlock } from "../../../markdown/code/CodeBlock.tsx"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import classes from "./Install.module.css"
import { newestKey } from "./newestKey.ts"
import { type Platform, PLATFORMS, snippetOf } from "./snippetOf.ts"

/** The lines that put the bot on a site, for each software of sites. */
export const SnippetSection = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useWidgetMessages()
  const { data: settings } = useQuery(serverSettingsQuery)
  const [platform, setPlatform] = useState<Platform>("html")
  const { language, text } = snippetOf(platform, newestKey(bot), settings?.widgetOrigin ?? location.origin)
  return (
    <section aria-label={t("widget.snippet")} className={classes.section}>
      <Title order={2} size="h4">
        {t("widget.snippet")}
      </Title>
      <div className={classes.platforms}>
        <SegmentedControl
          aria-label={t("widget.snippet.platform")}
          value={platform}
          onChange={(chosen) => setPlatform(chosen as Platform)}
          data={PLATFORMS.map((value) => ({ value, label: t(`widget.snippet.name.${value}`) }))}
        />
      </div>
      <Text size="sm" c="dimmed">
        {t(`widget.snippet.${platform}`)}
      </Text>
      <CodeBlock language={language} isWhole text={text} />
    </section>
  )
}
