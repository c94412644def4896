import type { Bot } from "@parley/client"
import { Button, Text } from "@mantine/core"
import { useBalance } from "@parley/react"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, useNavigate } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { creditsLeft } from "../../api/billing.ts"
import { parley } from "../../api/parley.ts"
import { botsQuery } from "../../api/bots.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { MenuButton } from "../../shell/menu/MenuButton.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { BotBadge } from "./BotBadge.tsx"
import classes from "./BotListPage.module.css"
import { botPath, conversationsPath } from "./botPath.ts"
import { DeleteBotDialog } from "./editor/DeleteBotDialog.tsx"
import { useBotSpending } from "./useBotSpending.ts"

/** The page with the person's bots, newest first, their states and their usage of today. */
export const BotListPage = () => {
  const { t } = useMessages()
  const { data: bots, error, refetch } = useQuery(botsQuery)
  const { balance } = useBalance()
  const [deleting, setDeleting] = useState<Bot>()
  return (
    <Page
      title={t("nav.bots")}
      lead={t("bots.lead")}
      actions={
        <Button component={Link} to={PAGE_PATHS.newBot}>
          {t("bots.new")}
        </Button>
      }
    >
      {bots === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        )
      ) : bots.length === 0 ? (
        <div className={classes.none}>
          <strong>{t("bots.none")}</strong>
          <Text c="dimmed">{t("bots.none.text")}</Text>
        </div>
      ) : (
        <>
          {balance !== undefined && creditsLeft(balance) === 0 && (
            <p className={classes.noCredits} role="note">
              {t("bots.noCredits")} <Link to={PAGE_PATHS.billing}>{t("billing.getCredits")}</Link>
            </p>
          )}
          <ul className={classes.list}>
            {bots.map((bot) => (
              <BotRow key={bot.id} bot={bot} onDelete={() => setDeleting(bot)} />
            ))}
          </ul>
        </>
      )}
      {deleting !== undefined && <DeleteBotDialog bot={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  )
}

interface BotRowProps {
  readonly bot: Bot
  readonly onDelete: () => void
}

const BotRow = ({ bot, onDelete }: BotRowProps) => {
  const { t } = useMessages()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { today } = useBotSpending()
  const { active, displayName, id, primaryColor } = bot
  const switching = useMutation({
    mutationFn: () => parley.bots.update(id, { active: !active }),
    onSuccess: () => client.invalidateQueries({ queryKey: botsQuery.queryKey })
  })
  return (
    <li className={classes.row}>
      <span className={classes.mark} style={{ backgroundColor: primaryColor }} />
      <div className={classes.words}>
        <Link className={classes.name} to={botPath(id)}>
          {displayName}
        </Link>
        <div className={classes.facts}>
          <BotBadge bot={bot} />
          <span className={classes.about}>{t("bots.today", { count: today(id) })}</span>
        </div>
        {switching.error !== null && <ProblemNotice error={switching.error} onDismiss={switching.reset} />}
      </div>
      <MenuButton
        label={t("bots.menu", { name: displayName })}
        className={classes.menu}
        entries={[
          { label: t("bots.open"), icon: "edit", onSelect: () => void navigate(botPath(id)) },
          {
            label: t("bots.parts.conversations"),
            icon: "newChat",
            onSelect: () => void navigate(conversationsPath(id))
          },
          {
            label: t(active ? "bots.switchOff" : "bots.switchOn"),
            icon: active ? "stop" : "check",
            onSelect: () => switching.mutate()
          },
          { label: t("bots.delete"), icon: "trash", isDangerous: true, onSelect: onDelete }
        ]}
      >
        <Icon name="dots" />
      </MenuButton>
    </li>
  )
}
