import type { Bot, Conversation } from "@parley/client"
import { Button, Text, Textarea } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { conversationQuery } from "../../../api/bots.ts"
import { inboxQuery, LONGEST_ANSWER } from "../../../api/inbox.ts"
import { parley } from "../../../api/parley.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import classes from "./people.module.css"
import { StateBadge } from "./StateBadge.tsx"
import { useHandoverMessages } from "./useHandoverMessages.ts"

export interface PersonDeskProps {
  readonly bot: Bot
  readonly conversation: Conversation
}

/** Reads the conversation, the lists and the counts again after an action on the conversation. */
const useRefresh = (bot: Bot, conversationId: string) => {
  const client = useQueryClient()
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: conversationQuery(bot.id, conversationId).queryKey }),
      client.invalidateQueries({ queryKey: ["bots", bot.id, "conversations"] }),
      client.invalidateQueries({ queryKey: inboxQuery(bot).queryKey })
    ])
}

/**
 * The form in which a person answers a visitor, with the state of the conversation and the visitor's e-mail address and
 * page.
 */
export const PersonDesk = ({ bot, conversation }: PersonDeskProps) => {
  const { t, moment } = useHandoverMessages()
  const { askedAt, email, id, page, state } = conversation
  const refresh = useRefresh(bot, id)
  const moving = useMutation({
    mutationFn: (to: "open" | "solved") => parley.bots.moveConversation(bot.id, id, to),
    onSuccess: refresh
  })
  const isOpen = state === "open"
  return (
    <section className={classes.desk} aria-label={t("handover.section")}>
      <div className={classes.actions}>
        <StateBadge state={state} />
        {state === "bot" && <Text size="sm">{t("handover.state.bot")}</Text>}
        {askedAt !== null && (
          <Text size="sm" c="dimmed">
            {t("handover.asked", { moment: moment(askedAt) })}
          </Text>
        )}
      </div>
      {(page !== null || email !== null) && (
        <dl className={classes.facts}>
          {page !== null && (
            <div>
              <dt>{t("handover.page")}</dt>
              <dd>{page}</dd>
            </div>
          )}
          {email !== null && (
            <div>
              <dt>{t("handover.mail")}</dt>
              <dd>{email}</dd>
            </div>
          )}
        </dl>
      )}
      <AnswerForm bot={bot} conversationId={id} onSent={refresh} />
      <div className={classes.actions}>
        {!isOpen && (
          <Button variant="default" size="xs" loading={moving.isPending} onClick={() => moving.mutate("open")}>
            {t(state === "solved" ? "handover.reopen" : "handover.take")}
          </Button>
        )}
        {(isOpen || state === "waiting") && (
          <Button variant="default" size="xs" loading={moving.isPending} onClick={() => moving.mutate("solved")}>
            {t("handover.solve")}
          </Button>
        )}
      </div>
      {moving.error !== null && <ProblemNotice error={moving.error} />}
    </section>
  )
}

interface AnswerFormProps {
  readonly bot: Bot
  readonly conversationId: string
  readonly onSent: () => Promise<unknown>
}

const AnswerForm = ({ bot, conversationId, onSent }: AnswerFormProps) => {
  const { t } = useHandoverMessages()
  const [text, setText] = useState("")
  const sending = useMutation({
    mutationFn: () => parley.bots.answer(bot.id, conversationId, text),
    onSuccess: async () => {
      setText("")
      await onSent()
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== "" && !sending.isPending) sending.mutate()
      }}
    >
      <Textarea
        label={t("handover.answer")}
        description={t("handover.answer.text")}
        rows={3}
        maxLength={LONGEST_ANSWER}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <Button type="submit" mt="xs" loading={sending.isPending} disabled={text.trim() === ""}>
        {t("handover.answer.send")}
      </Button>
      {sending.error !== null && <ProblemNotice error={sending.error} />}
    </form>
  )
}
