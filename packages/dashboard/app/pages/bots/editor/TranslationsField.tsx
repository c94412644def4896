import { Button, Input, NativeSelect, Textarea, TextInput } from "@mantine/core"
import { BOT_LANGUAGES, BOT_LIMITS, type BotLanguage, type BotSettings, type BotTexts } from "../../../api/bots.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { CardsField } from "../widget/CardsField.tsx"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import classes from "./BotForm.module.css"
import { QuestionsField } from "./QuestionsField.tsx"

type Translations = BotSettings["translations"]

export interface TranslationsFieldProps {
  readonly translations: Translations
  readonly error: string | undefined
  readonly onChange: (translations: Translations) => void
}

/** The fields for texts in the languages of the widget, which visitors with that language see. */
export const TranslationsField = ({ translations, error, onChange }: TranslationsFieldProps) => {
  const { t, language: ours } = useMessages()
  const names = new Intl.DisplayNames(ours, { type: "language" })
  const nameOf = (language: BotLanguage) => names.of(language) ?? language
  const given = BOT_LANGUAGES.filter((language) => translations[language] !== undefined)
  const others = BOT_LANGUAGES.filter((language) => !given.includes(language))
  const without = (language: BotLanguage) =>
    Object.fromEntries(Object.entries(translations).filter(([each]) => each !== language))
  return (
    <>
      <Input.Description>{t("bots.translations.text")}</Input.Description>
      {given.map((language) => (
        <TextsGroup
          key={language}
          name={nameOf(language)}
          language={language}
          texts={translations[language] ?? {}}
          onChange={(texts) => onChange({ ...translations, [language]: texts })}
          onRemove={() => onChange(without(language))}
        />
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      {others.length > 0 && (
        <NativeSelect
          label={t("bots.translations.add")}
          value=""
          onChange={({ currentTarget: { value } }) => onChange({ ...translations, [value]: {} })}
          data={["", ...others].map((value) => ({ value, label: value === "" ? "–" : nameOf(value as BotLanguage) }))}
        />
      )}
    </>
  )
}

interface TextsGroupProps {
  readonly name: string
  readonly language: BotLanguage
  readonly texts: BotTexts
  readonly onChange: (texts: BotTexts) => void
  readonly onRemove: () => void
}

const TextsGroup = ({ name, language, texts, onChange, onRemove }: TextsGroupProps) => {
  const { t } = useWidgetMessages()
  return (
    <fieldset className={classes.translation}>
      <legend>{name}</legend>
      <Textarea
        label={t("bots.welcome")}
        lang={language}
        dir="auto"
        rows={2}
        maxLength={BOT_LIMITS.welcomeMessage}
        value={texts.welcomeMessage ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...texts, welcomeMessage: value })}
      />
      <QuestionsField
        questions={texts.suggestedQuestions ?? []}
        isRefused={false}
        onChange={(suggestedQuestions) => onChange({ ...texts, suggestedQuestions })}
      />
      <CardsField
        cards={texts.welcomeCards ?? []}
        isRefused={false}
        onChange={(welcomeCards) => onChange({ ...texts, welcomeCards })}
      />
      <TextInput
        label={t("widget.launcher")}
        lang={language}
        dir="auto"
        maxLength={BOT_LIMITS.launcherText}
        value={texts.launcherText ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...texts, launcherText: value })}
      />
      <Textarea
        label={t("bots.decline")}
        lang={language}
        dir="auto"
        rows={2}
        maxLength={BOT_LIMITS.declineText}
        value={texts.declineText ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...texts, declineText: value })}
      />
      <div>
        <Button variant="default" size="xs" onClick={onRemove}>
          {t("bots.translations.remove", { language: name })}
        </Button>
      </div>
    </fieldset>
  )
}
