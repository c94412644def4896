import type { Bot, BotKey } from "@parley/client"
import { Button, Text, Title } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { botQuery, botsQuery } from "../../../api/bots.ts"
import { parley } from "../../../api/parley.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../../shell/ConfirmDialog.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import classes from "./Install.module.css"
import { newestKey } from "./newestKey.ts"

/** The public keys of the bot. */
export const KeysSection = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useMessages()
  const keep = useKeeping()
  const adding = useMutation({ mutationFn: () => parley.bots.createKey(bot.id), onSuccess: keep })
  const [retiring, setRetiring] = useState<string>()
  const newest = newestKey(bot)
  return (
    <section aria-label={t("bots.keys")} className={classes.section}>
      <Title order={2} size="h4">
        {t("bots.keys")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("bots.keys.text")}
      </Text>
      <ul className={classes.keys}>
        {bot.keys.map((key) => (
          <KeyRow
            key={key.publicKey}
            botKey={key}
            isInSnippet={key.publicKey === newest}
            onRetire={bot.keys.length > 1 ? () => setRetiring(key.publicKey) : undefined}
          />
        ))}
      </ul>
      {adding.error !== null && <ProblemNotice error={adding.error} onDismiss={adding.reset} />}
      <div className={classes.add}>
        <Button variant="default" size="xs" loading={adding.isPending} onClick={() => adding.mutate()}>
          {t("bots.keys.add")}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {adding.isSuccess && t("bots.keys.added")}
        </Text>
      </div>
      {retiring !== undefined && (
        <RetireDialog botId={bot.id} publicKey={retiring} onClose={() => setRetiring(undefined)} />
      )}
    </section>
  )
}

/** Updates the cached bot after its keys have changed. */
const useKeeping = () => {
  const client = useQueryClient()
  return (bot: Bot) => {
    client.setQueryData(botQuery(bot.id).queryKey, bot)
    void client.invalidateQueries({ queryKey: botsQuery.queryKey, exact: true })
  }
}

interface KeyRowProps {
  readonly botKey: BotKey
  readonly isInSnippet: boolean
  /** Retires the key; undefined for the only key, which cannot be retired. */
  readonly onRetire: (() => void) | undefined
}

const KeyRow = ({ botKey: { createdAt, publicKey }, isInSnippet, onRetire }: KeyRowProps) => {
  const { t, day } = useMessages()
  return (
    <li className={classes.key}>
      <div className={classes.words}>
        <code>{publicKey}</code>
        <span>
          {t("bots.keys.since", { day: day(createdAt) })}
          {isInSnippet && `, ${t("bots.keys.inSnippet")}`}
        </span>
      </div>
      {onRetire !== undefined && (
        <Button
          variant="subtle"
          color="red.8"
          size="compact-sm"
          aria-label={t("bots.keys.retireNamed", { key: publicKey })}
          onClick={onRetire}
        >
          {t("bots.keys.retire")}
        </Button>
      )}
    </li>
  )
}

interface RetireDialogProps {
  readonly botId: string
  readonly publicKey: string
  readonly onClose: () => void
}

const RetireDialog = ({ botId, publicKey, onClose }: RetireDialogProps) => {
  const { t } = useMessages()
  const keep = useKeeping()
  const retiring = useMutation({
    mutationFn: () => parley.bots.deleteKey(botId, publicKey),
    onSuccess: (bot) => {
      keep(bot)
      onClose()
    }
  })
  return (
    <ConfirmDialog
      title={t("bots.keys.retire.title")}
      text={t("bots.keys.retire.text", { key: publicKey })}
      action={t("bots.keys.retire")}
      isBusy={retiring.isPending}
      problem={retiring.error ?? undefined}
      onConfirm={() => retiring.mutate()}
      onClose={onClose}
    />
  )
}
