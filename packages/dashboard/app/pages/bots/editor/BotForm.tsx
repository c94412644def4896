import { Button, NumberInput, Switch, Text, Textarea, TextInput, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { BOT_LIMITS } from "../../../api/bots.ts"
import type { MessageKey } from "../../../messages/catalogue.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { HandoverSection } from "../people/HandoverSection.tsx"
import { AppearanceSection } from "../widget/AppearanceSection.tsx"
import { CardsField } from "../widget/CardsField.tsx"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import { type BotDraft, refusedOf } from "./botDraft.ts"
import classes from "./BotForm.module.css"
import { DocumentsField } from "./DocumentsField.tsx"
import { ModelField } from "./ModelField.tsx"
import { QuestionsField } from "./QuestionsField.tsx"
import { TranslationsField } from "./TranslationsField.tsx"

export interface BotFormProps {
  readonly draft: BotDraft
  readonly onChange: (change: Partial<BotDraft>) => void
  /** The failure with which the server refused the last save. */
  readonly problem: unknown
  readonly isBusy: boolean
  /** The label of the submit button. */
  readonly action: string
  readonly onSubmit: () => void
  /** Discards the changes; set only if there are any. */
  readonly onDiscard?: (() => void) | undefined
  /** Further content beside the buttons. */
  readonly note?: ReactNode
}

/** The form with all settings of a bot. */
export const BotForm = ({ draft, onChange, problem, isBusy, action, onSubmit, onDiscard, note }: BotFormProps) => {
  const { t } = useMessages()
  const refused = refusedOf(problem)
  const wrong = (name: keyof BotDraft, key: MessageKey, most = 0) => (refused.has(name) ? t(key, { most }) : undefined)
  const fields = { draft, onChange, refused, wrong }
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <LookSection {...fields} />
      <AppearanceSection draft={draft} onChange={onChange} refused={refused} />
      <KnowledgeSection {...fields} />
      <HandoverSection draft={draft} onChange={onChange} refused={refused} />
      <LimitsSection {...fields} />
      <Section title={t("bots.translations")}>
        <TranslationsField
          translations={draft.translations}
          error={wrong("translations", "bots.translations.invalid")}
          onChange={(translations) => onChange({ translations })}
        />
      </Section>
      {refused.size > 0 ? (
        <p className={classes.refused} role="alert">
          {t("problem.invalid_bot")}
        </p>
      ) : (
        problem != null && <ProblemNotice error={problem} />
      )}
      <div className={classes.foot}>
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
        {onDiscard !== undefined && (
          <Button variant="default" onClick={onDiscard}>
            {t("bots.discard")}
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {note}
        </Text>
      </div>
    </form>
  )
}

interface FieldsProps extends Pick<BotFormProps, "draft" | "onChange"> {
  readonly refused: ReadonlySet<string>
  /** Returns the error text of a setting that the server refused; undefined if it was accepted. */
  readonly wrong: (name: keyof BotDraft, key: MessageKey, most?: number) => string | undefined
}

/** The name and the texts of the bot. */
const LookSection = ({ draft, onChange, refused, wrong }: FieldsProps) => {
  const { t } = useMessages()
  return (
    <Section title={t("bots.section.look")}>
      <TextInput
        label={t("bots.name")}
        required
        maxLength={BOT_LIMITS.displayName}
        value={draft.displayName}
        error={wrong("displayName", "bots.name.invalid", BOT_LIMITS.displayName)}
        onChange={({ currentTarget: { value } }) => onChange({ displayName: value })}
      />
      <Textarea
        label={t("bots.welcome")}
        description={t("bots.welcome.text")}
        rows={2}
        maxLength={BOT_LIMITS.welcomeMessage}
        value={draft.welcomeMessage}
        error={wrong("welcomeMessage", "bots.tooLong", BOT_LIMITS.welcomeMessage)}
        onChange={({ currentTarget: { value } }) => onChange({ welcomeMessage: value })}
      />
      <QuestionsField
        questions={draft.suggestedQuestions}
        isRefused={refused.has("suggestedQuestions")}
        onChange={(suggestedQuestions) => onChange({ suggestedQuestions })}
      />
      <CardsField
        cards={draft.welcomeCards}
        isRefused={refused.has("welcomeCards")}
        onChange={(welcomeCards) => onChange({ welcomeCards })}
      />
      <Switch
        label={t("bots.sources")}
        checked={draft.showSources}
        onChange={({ currentTarget: { checked } }) => onChange({ showSources: checked })}
      />
    </Section>
  )
}

/** The fields for the model, its instructions, the documents, and files from visitors. */
const KnowledgeSection = ({ draft, onChange, wrong }: FieldsProps) => {
  const { t } = useMessages()
  const widget = useWidgetMessages()
  return (
    <Section title={t("bots.section.knowledge")}>
      <ModelField modelId={draft.modelId} onChange={(modelId) => onChange({ modelId })} />
      <Textarea
        label={t("bots.instructions")}
        description={t("bots.instructions.text")}
        rows={5}
        maxLength={BOT_LIMITS.instructions}
        value={draft.instructions}
        error={wrong("instructions", "bots.tooLong", BOT_LIMITS.instructions)}
        onChange={({ currentTarget: { value } }) => onChange({ instructions: value })}
      />
      <DocumentsField documentIds={draft.documentIds} onChange={(documentIds) => onChange({ documentIds })} />
      <Switch
        label={widget.t("widget.uploads")}
        description={widget.t("widget.uploads.text")}
        checked={draft.visitorUploads}
        onChange={({ currentTarget: { checked } }) => onChange({ visitorUploads: checked })}
      />
    </Section>
  )
}

/** The fields for the sites and the limits of the bot. */
const LimitsSection = ({ draft, onChange, wrong }: FieldsProps) => {
  const { t } = useMessages()
  return (
    <Section title={t("bots.section.limits")}>
      <Textarea
        label={t("bots.sites")}
        description={t("bots.sites.text")}
        rows={3}
        value={draft.allowedSites}
        error={wrong("allowedSites", "bots.sites.invalid")}
        onChange={({ currentTarget: { value } }) => onChange({ allowedSites: value })}
      />
      <CapField dailyCap={draft.dailyCap} onChange={(dailyCap) => onChange({ dailyCap })} />
      <Textarea
        label={t("bots.decline")}
        description={t("bots.decline.text")}
        rows={2}
        maxLength={BOT_LIMITS.declineText}
        value={draft.declineText}
        error={wrong("declineText", "bots.tooLong", BOT_LIMITS.declineText)}
        onChange={({ currentTarget: { value } }) => onChange({ declineText: value })}
      />
      <Switch
        label={t("bots.isActive")}
        description={t("bots.isActive.text")}
        checked={draft.active}
        onChange={({ currentTarget: { checked } }) => onChange({ active: checked })}
      />
    </Section>
  )
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={classes.section} aria-label={title}>
    <Title order={2} size="h4">
      {title}
    </Title>
    {children}
  </section>
)

interface CapFieldProps {
  readonly dailyCap: number | null
  readonly onChange: (dailyCap: number | null) => void
}

const CapField = ({ dailyCap, onChange }: CapFieldProps) => {
  const { t, separators } = useMessages()
  return (
    <NumberInput
      label={t("bots.cap")}
      description={t("bots.cap.text")}
      suffix={` ${t("usage.warn.unit")}`}
      placeholder="–"
      min={0}
      max={1_000_000_000}
      step={100}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator={separators.thousands}
      decimalSeparator={separators.decimal}
      value={dailyCap ?? ""}
      onChange={(value) => onChange(value === "" ? null : Number(value))}
    />
  )
}
