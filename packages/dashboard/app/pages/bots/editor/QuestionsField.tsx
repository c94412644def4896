import { ActionIcon, Button, Input, TextInput } from "@mantine/core"
import { BOT_LIMITS } from "../../../api/bots.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "./BotForm.module.css"

export interface QuestionsFieldProps {
  readonly questions: ReadonlyArray<string>
  readonly isRefused: boolean
  readonly onChange: (questions: ReadonlyArray<string>) => void
}

/** The field for questions that the widget suggests to visitors. */
export const QuestionsField = ({ questions, isRefused, onChange }: QuestionsFieldProps) => {
  const { t } = useMessages()
  const change = (index: number, question: string) =>
    onChange(questions.map((each, place) => (place === index ? question : each)))
  return (
    <fieldset className={classes.group}>
      <legend>{t("bots.questions")}</legend>
      <Input.Description>{t("bots.questions.text", { most: BOT_LIMITS.suggestedQuestions })}</Input.Description>
      {questions.map((question, index) => (
        <div key={index} className={classes.question}>
          <TextInput
            aria-label={t("bots.questions.one", { number: index + 1 })}
            value={question}
            maxLength={BOT_LIMITS.suggestedQuestion}
            onChange={({ currentTarget }) => change(index, currentTarget.value)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t("bots.questions.remove", { number: index + 1 })}
            onClick={() => onChange(questions.filter((_, place) => place !== index))}
          >
            <Icon name="close" />
          </ActionIcon>
        </div>
      ))}
      {isRefused && <Input.Error>{t("bots.questions.invalid", { most: BOT_LIMITS.suggestedQuestion })}</Input.Error>}
      {questions.length < BOT_LIMITS.suggestedQuestions && (
        <div>
          <Button variant="default" size="xs" onClick={() => onChange([...questions, ""])}>
            {t("bots.questions.add")}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
