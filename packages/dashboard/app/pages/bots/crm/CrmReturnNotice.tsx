import { Alert, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { crmQuery } from "../../../api/bots.ts"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "./CrmSection.module.css"
import type { CrmError, CrmReturn } from "./crmReturn.ts"
import { type CrmKey, useCrmMessages } from "./useCrmMessages.ts"

const SENTENCES: Readonly<Record<CrmError, CrmKey>> = {
  denied: "crm.return.denied",
  state: "crm.return.state",
  exchange: "crm.return.exchange",
  bot: "crm.return.bot"
}

export interface CrmReturnNoticeProps {
  readonly botId: string
  readonly returned: CrmReturn | undefined
  readonly onDismiss: () => void
}

/** The result of connecting a CRM, shown when the person returns from the provider. */
export const CrmReturnNotice = ({ botId, returned, onDismiss }: CrmReturnNoticeProps) => {
  if (returned === undefined) return null
  return "error" in returned ? (
    <Notice isGood={false} text={SENTENCES[returned.error]} onDismiss={onDismiss} />
  ) : (
    <Connected botId={botId} provider={returned.connected} onDismiss={onDismiss} />
  )
}

interface ConnectedProps {
  readonly botId: string
  readonly provider: string
  readonly onDismiss: () => void
}

/** Reports success only if the server confirms the connection. */
const Connected = ({ botId, provider, onDismiss }: ConnectedProps) => {
  const { data: offers = [] } = useQuery(crmQuery(botId))
  const offer = offers.find((each) => each.provider === provider)
  if (offer?.connection?.state !== "connected") return null
  return <Notice isGood text="crm.return.connected" name={offer.name} onDismiss={onDismiss} />
}

interface NoticeProps {
  readonly isGood: boolean
  readonly text: CrmKey
  readonly name?: string
  readonly onDismiss: () => void
}

const Notice = ({ isGood, text, name = "", onDismiss }: NoticeProps) => {
  const { t } = useCrmMessages()
  return (
    <Alert
      role={isGood ? "status" : "alert"}
      color={isGood ? "green" : "red"}
      variant="light"
      className={classes.notice ?? ""}
      icon={<Icon name={isGood ? "check" : "info"} />}
      withCloseButton
      closeButtonLabel={t("action.dismiss")}
      onClose={onDismiss}
      styles={{ message: { color: "var(--text)" } }}
    >
      <Text size="sm">{t(text, { name })}</Text>
    </Alert>
  )
}
