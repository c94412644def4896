import { NativeSelect, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { BotLanguage } from "../../../api/bots.ts"
import { serverSettingsQuery } from "../../../api/session.ts"
import type { BotDraft } from "../editor/botDraft.ts"
import { previewedBot } from "./previewedBot.ts"
import { type ShownLauncher, usePreviewFrame } from "./usePreviewFrame.ts"
import { useWidgetMessages } from "./useWidgetMessages.ts"
import classes from "./WidgetPreview.module.css"

export interface WidgetPreviewProps {
  /** The settings in the form, saved or not. */
  readonly draft: BotDraft
  /** The public key under which visitors reach the bot; undefined if the bot is new or switched off. */
  readonly publicKey: string | undefined
}

/**
 * A preview of the widget with the settings in the form, saved or not. Its frame shows sample replies and calls no
 * server.
 */
export const WidgetPreview = ({ draft, publicKey }: WidgetPreviewProps) => {
  const { t, language: ours } = useWidgetMessages()
  const [chosen, setChosen] = useState<BotLanguage>()
  const { data: settings } = useQuery(serverSettingsQuery)
  const given = Object.keys(draft.translations).filter((each) => each !== ours) as ReadonlyArray<BotLanguage>
  const language = chosen !== undefined && given.includes(chosen) ? chosen : ours
  const names = new Intl.DisplayNames(ours, { type: "language" })
  const origin = settings?.widgetOrigin ?? location.origin
  return (
    <section aria-label={t("widget.preview")} className={classes.preview}>
      <Title order={2} size="h4">
        {t("widget.preview")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("widget.preview.text")}{" "}
        {publicKey !== undefined && settings !== undefined && (
          <a className={classes.link} href={`${origin}/widget/${publicKey}`} target="_blank" rel="noreferrer">
            {t("widget.preview.real")}
          </a>
        )}
      </Text>
      {given.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label={t("widget.preview.language")}
          value={language}
          onChange={({ currentTarget: { value } }) => setChosen(value as BotLanguage)}
          data={[ours, ...given].map((value) => ({ value, label: names.of(value) ?? value }))}
        />
      )}
      {settings !== undefined && <PreviewedWidget key={language} draft={draft} language={language} origin={origin} />}
      {!draft.active && <p className={classes.off}>{t("widget.preview.off")}</p>}
    </section>
  )
}

interface PreviewedWidgetProps {
  readonly draft: BotDraft
  readonly language: BotLanguage
  readonly origin: string
}

const PreviewedWidget = ({ draft, language, origin }: PreviewedWidgetProps) => {
  const { t } = useWidgetMessages()
  const [isOpen, setOpen] = useState(true)
  const bot = previewedBot(draft, language, t("bots.name"))
  const { frame, launcher } = usePreviewFrame(origin, bot, () => setOpen(false))
  return (
    <>
      <iframe
        ref={frame}
        hidden={!isOpen}
        className={classes.frame}
        style={{ borderRadius: launcher?.look.radius }}
        src={`${origin}/widget/preview?lang=${language}`}
        title={t("widget.preview.frame")}
      />
      {launcher !== undefined && <Launcher launcher={launcher} isOpen={isOpen} onPress={() => setOpen(!isOpen)} />}
    </>
  )
}

interface LauncherProps {
  readonly launcher: ShownLauncher
  readonly isOpen: boolean
  readonly onPress: () => void
}

const BUBBLE = "M12 3a9 9 0 1 1-4 17l-5 1 1-5a9 9 0 0 1 8-13z"
const DOWN = "m6 9 6 6 6-6"

/** The button that opens the chat, on the chosen side, drawn like the widget's script draws it on a page. */
const Launcher = ({ launcher: { launcherLabel, launcherText, look, position }, isOpen, onPress }: LauncherProps) => (
  <button
    type="button"
    aria-label={launcherLabel}
    aria-expanded={isOpen}
    className={classes.launcher}
    style={{
      alignSelf: position === "left" ? "flex-start" : "flex-end",
      borderRadius: `calc(${look.radius} * 1.7)`,
      background: look.fill,
      color: look.ink,
      fontFamily: look.font
    }}
    onClick={onPress}
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={isOpen ? DOWN : BUBBLE} />
    </svg>
    {launcherText}
  </button>
)
