import type { Bot } from "@parley/client"
import { Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { sitesQuery } from "../../../api/bots.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import { agoOf } from "./agoOf.ts"
import classes from "./Install.module.css"

/**
 * The sites that loaded the widget, those that tried to but are not allowed, and allowed sites that did not load it.
 */
export const SitesSection = ({ bot }: { readonly bot: Bot }) => {
  const { t, language } = useWidgetMessages()
  const { data, dataUpdatedAt, error, refetch } = useQuery(sitesQuery(bot.id))
  const sites = data?.sites ?? []
  const loaded = new Set(sites.filter(({ allowed }) => allowed).map(({ site }) => site))
  // An allowed site with a star stands for sites of unknown names, so it is not listed here.
  const silent = bot.allowedSites.filter((site) => !loaded.has(site) && !site.includes("*"))
  const ago = (seenAt: string) => agoOf(Date.parse(seenAt), dataUpdatedAt, language)
  return (
    <section aria-label={t("widget.sites")} className={classes.section}>
      <Title order={2} size="h4">
        {t("widget.sites")}
      </Title>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <ul className={classes.sites}>
          {sites.map(({ allowed, seenAt, site }) => (
            <li key={site} data-refused={!allowed || undefined}>
              <Icon name={allowed ? "check" : "close"} size={18} />
              <span>
                {t(allowed ? "widget.sites.loaded" : "widget.sites.refused", { site: bare(site), ago: ago(seenAt) })}
              </span>
            </li>
          ))}
          {silent.map((site) => (
            <li key={site}>
              <span>{t("widget.sites.silent", { site: bare(site) })}</span>
            </li>
          ))}
          {sites.length + silent.length === 0 && (
            <li>
              <span>{t("widget.sites.none")}</span>
            </li>
          )}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        {t("widget.sites.text")}
      </Text>
    </section>
  )
}

/** A site without `https://`, which nearly all sites have. */
const bare = (site: string): string => site.replace(/^https:\/\//, "")
