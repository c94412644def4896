import { type MantineColorScheme, NativeSelect, SegmentedControl, Text, useMantineColorScheme } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { meQuery } from "../../api/session.ts"
import { type Language, LANGUAGES } from "../../messages/format.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Page } from "../../shell/Page.tsx"
import { ReplyPreferences } from "./ReplyPreferences.tsx"
import { OwnData } from "./OwnData.tsx"
import { Section, Setting } from "./SettingRows.tsx"
import classes from "./SettingsPage.module.css"

/** The name of each language in that language. */
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português"
}

const isLanguage = (value: string): value is Language => LANGUAGES.some((language) => language === value)

/** The page with the look and language of the application, and the account. */
export const SettingsPage = () => {
  const { t, size } = useMessages()
  const { data: me } = useQuery(meQuery)
  return (
    <Page title={t("nav.settings")}>
      <Appearance />
      {me != null && (
        <Section title={t("settings.account")}>
          <Setting label={t("settings.signedInAs")}>
            <Text>{me.email ?? me.userId}</Text>
          </Setting>
          <Setting label={t("settings.plan")}>
            <div className={classes.plan}>
              <Text>{me.tier.name}</Text>
              <Text size="sm" c="dimmed">
                {t("settings.planCredits", { count: me.tier.monthlyCredits })}
                {", "}
                {t("settings.planDocuments", {
                  count: me.tier.quotas.maxDocuments,
                  size: size(me.tier.quotas.maxDocumentBytes)
                })}
              </Text>
              <Link className={classes.link} to={PAGE_PATHS.billing}>
                {t("billing.seePlans")}
              </Link>
            </div>
          </Setting>
        </Section>
      )}
      {me != null && (
        <Suspense fallback={null}>
          <ReplyPreferences />
        </Suspense>
      )}
      {me != null && <OwnData me={me} />}
      <Section title={t("settings.costs")}>
        <Text c="dimmed">{t("settings.costs.text")}</Text>
      </Section>
    </Page>
  )
}

const Appearance = () => {
  const { t, language, changeLanguage } = useMessages()
  // Transitions stay on, because turning them off for a moment would need a style element, which the page's policy
  // refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  return (
    <Section title={t("settings.appearance")}>
      <Setting label={t("settings.theme")}>
        <SegmentedControl
          aria-label={t("settings.theme")}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
          data={[
            { value: "light", label: t("theme.light") },
            { value: "dark", label: t("theme.dark") },
            { value: "auto", label: t("theme.auto") }
          ]}
        />
      </Setting>
      <Setting label={t("settings.language")}>
        <NativeSelect
          aria-label={t("settings.language")}
          value={language}
          onChange={({ currentTarget: { value } }) => {
            if (isLanguage(value)) void changeLanguage(value)
          }}
          data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
      </Setting>
    </Section>
  )
}
