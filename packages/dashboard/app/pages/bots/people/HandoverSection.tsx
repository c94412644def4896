import { Switch, TextInput, Title } from "@mantine/core"
import { BOT_LIMITS } from "../../../api/bots.ts"
import type { BotDraft } from "../editor/botDraft.ts"
import classes from "../editor/BotForm.module.css"
import { HoursField } from "./HoursField.tsx"
import { useHandoverMessages } from "./useHandoverMessages.ts"

export interface HandoverSectionProps {
  readonly draft: BotDraft
  readonly onChange: (change: Partial<BotDraft>) => void
  /** The names of the settings that the server refused. */
  readonly refused: ReadonlySet<string>
}

/** The fields that decide if people answer in the place of the bot, when, and under which name. */
export const HandoverSection = ({ draft, onChange, refused }: HandoverSectionProps) => {
  const { t } = useHandoverMessages()
  return (
    <section className={classes.section} aria-label={t("handover.section")}>
      <Title order={2} size="h4">
        {t("handover.section")}
      </Title>
      <Switch
        label={t("handover.on")}
        description={t("handover.on.text")}
        checked={draft.handOver}
        onChange={({ currentTarget: { checked } }) => onChange({ handOver: checked })}
      />
      {draft.handOver && (
        <>
          <TextInput
            type="email"
            label={t("handover.email")}
            description={t("handover.email.text")}
            value={draft.handOverEmail}
            error={refused.has("handOverEmail") ? t("handover.email.invalid") : undefined}
            onChange={({ currentTarget: { value } }) => onChange({ handOverEmail: value })}
          />
          <TextInput
            label={t("handover.name")}
            description={t("handover.name.text")}
            maxLength={BOT_LIMITS.personName}
            value={draft.personName}
            error={refused.has("personName") ? t("handover.name.invalid", { most: BOT_LIMITS.personName }) : undefined}
            onChange={({ currentTarget: { value } }) => onChange({ personName: value })}
          />
          <HoursField
            hours={draft.openingHours}
            isRefused={refused.has("openingHours")}
            onChange={(openingHours) => onChange({ openingHours })}
          />
        </>
      )}
    </section>
  )
}
