import { Button, Input, NativeSelect, Textarea, TextInput } from "@mantine/core"
import { BOT_LIMITS, type WelcomeCard } from "../../../api/bots.ts"
import classes from "../editor/BotForm.module.css"
import { useWidgetMessages } from "./useWidgetMessages.ts"

export interface CardsFieldProps {
  readonly cards: ReadonlyArray<WelcomeCard>
  readonly isRefused: boolean
  readonly onChange: (cards: ReadonlyArray<WelcomeCard>) => void
}

/** The field for cards that the widget shows in an empty conversation. */
export const CardsField = ({ cards, isRefused, onChange }: CardsFieldProps) => {
  const { t } = useWidgetMessages()
  return (
    <fieldset className={classes.group}>
      <legend>{t("widget.cards")}</legend>
      <Input.Description>{t("widget.cards.text", { most: BOT_LIMITS.welcomeCards })}</Input.Description>
      {cards.map((card, index) => (
        <CardGroup
          key={index}
          card={card}
          number={index + 1}
          onChange={(changed) => onChange(cards.map((each, place) => (place === index ? changed : each)))}
          onRemove={() => onChange(cards.filter((_, place) => place !== index))}
        />
      ))}
      {isRefused && <Input.Error>{t("widget.cards.invalid")}</Input.Error>}
      {cards.length < BOT_LIMITS.welcomeCards && (
        <div>
          <Button variant="default" size="xs" onClick={() => onChange([...cards, { title: "", link: "" }])}>
            {t("widget.cards.add")}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface CardGroupProps {
  readonly card: WelcomeCard
  /** The number of the card, beginning with 1. */
  readonly number: number
  readonly onChange: (card: WelcomeCard) => void
  readonly onRemove: () => void
}

const CardGroup = ({ card, number, onChange, onRemove }: CardGroupProps) => {
  const { t } = useWidgetMessages()
  const { link, question, ...words } = card
  return (
    <fieldset className={classes.translation}>
      <legend>{t("widget.cards.one", { number })}</legend>
      <TextInput
        label={t("widget.cards.title")}
        dir="auto"
        maxLength={BOT_LIMITS.cardTitle}
        value={card.title}
        onChange={({ currentTarget: { value } }) => onChange({ ...card, title: value })}
      />
      <Textarea
        label={t("widget.cards.words")}
        dir="auto"
        rows={2}
        maxLength={BOT_LIMITS.cardText}
        value={card.text ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...card, text: value })}
      />
      <NativeSelect
        label={t("widget.cards.kind")}
        value={link === undefined ? "question" : "link"}
        onChange={({ currentTarget: { value } }) => onChange({ ...words, [value]: "" })}
        data={[
          { value: "link", label: t("widget.cards.kind.link") },
          { value: "question", label: t("widget.cards.kind.question") }
        ]}
      />
      {link === undefined ? (
        <TextInput
          label={t("widget.cards.question")}
          dir="auto"
          maxLength={BOT_LIMITS.suggestedQuestion}
          value={question ?? ""}
          onChange={({ currentTarget: { value } }) => onChange({ ...words, question: value })}
        />
      ) : (
        <TextInput
          label={t("widget.cards.link")}
          type="url"
          placeholder="https://example.com/page"
          maxLength={BOT_LIMITS.cardLink}
          value={link}
          onChange={({ currentTarget: { value } }) => onChange({ ...words, link: value })}
        />
      )}
      <div>
        <Button variant="default" size="xs" onClick={onRemove}>
          {t("widget.cards.remove", { number })}
        </Button>
      </div>
    </fieldset>
  )
}
