import type { Bot } from "@parley/client"
import type { ReactNode } from "react"
import { useState } from "react"
import { Link, NavLink, useNavigate } from "react-router"
import { PAGE_PATHS } from "../../../../src/pagePaths.ts"
import { MenuButton } from "../../../shell/menu/MenuButton.tsx"
import { Page } from "../../../shell/Page.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import { BotBadge } from "../BotBadge.tsx"
import classes from "../BotPage.module.css"
import { botPath, conversationsPath, installPath, reportPath } from "../botPath.ts"
import { WaitingCount } from "../people/WaitingCount.tsx"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import { DeleteBotDialog } from "./DeleteBotDialog.tsx"

export interface BotFrameProps {
  readonly bot: Bot
  readonly children: ReactNode
}

/** The frame of all pages of a bot: its name and state, and links between the pages. */
export const BotFrame = ({ bot, children }: BotFrameProps) => {
  const { t } = useWidgetMessages()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page
      title={bot.displayName}
      lead={
        <Link className={classes.back} to={PAGE_PATHS.bots}>
          {t("bots.back")}
        </Link>
      }
      actions={
        <div className={classes.actions}>
          <BotBadge bot={bot} />
          <MenuButton
            label={t("bots.menu", { name: bot.displayName })}
            className={classes.menu}
            entries={[{ label: t("bots.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }]}
          >
            <Icon name="dots" />
          </MenuButton>
        </div>
      }
    >
      <nav className={classes.parts} aria-label={t("bots.parts")}>
        <NavLink to={botPath(bot.id)} end>
          {t("bots.parts.settings")}
        </NavLink>
        <NavLink to={installPath(bot.id)}>{t("widget.install")}</NavLink>
        <NavLink to={conversationsPath(bot.id)}>
          {t("bots.parts.conversations")} <WaitingCount bot={bot} />
        </NavLink>
        <NavLink to={reportPath(bot.id)}>{t("bots.parts.report")}</NavLink>
      </nav>
      {children}
      {isDeleting && (
        <DeleteBotDialog
          bot={bot}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate(PAGE_PATHS.bots, { replace: true })}
        />
      )}
    </Page>
  )
}
