import type { CrmConnection, CrmProvider } from "@parley/client"
import { Badge, Button, Text, Title } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { connectPath, crmQuery } from "../../../api/bots.ts"
import { parley } from "../../../api/parley.ts"
import { ConfirmDialog } from "../../../shell/ConfirmDialog.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import classes from "./CrmSection.module.css"
import { isCrmKey, useCrmMessages } from "./useCrmMessages.ts"

/** The CRM providers of the server, each with the bot's connection; nothing if the server has none. */
export const CrmSection = ({ botId }: { readonly botId: string }) => {
  const { t } = useCrmMessages()
  const { data: offers = [], error, refetch } = useQuery(crmQuery(botId))
  const [said, setSaid] = useState<string>()
  if (offers.length === 0 && error === null) return null
  return (
    <section aria-label={t("crm.title")} className={classes.section}>
      <Title order={2} size="h4">
        {t("crm.title")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("crm.text")}
      </Text>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {offers.length > 0 && (
        <ul className={classes.providers}>
          {offers.map((offer) => (
            <Provider key={offer.provider} botId={botId} offer={offer} onSaid={setSaid} />
          ))}
        </ul>
      )}
      <Text size="sm" role="status">
        {said}
      </Text>
    </section>
  )
}

interface ProviderProps {
  readonly botId: string
  readonly offer: CrmProvider
  /** Called with the text to announce after an action. */
  readonly onSaid: (text: string) => void
}

const Provider = ({ botId, offer, onSaid }: ProviderProps) => {
  const { t } = useCrmMessages()
  const [isLeaving, setLeaving] = useState(false)
  const { available, connection, name, provider } = offer
  const state = connection?.state ?? "none"
  return (
    <li className={classes.provider}>
      <div className={classes.head}>
        <Title order={3} size="h6">
          {name}
        </Title>
        <Badge variant="light" className={classes.badge ?? ""} data-state={state}>
          {t(`crm.state.${state}`)}
        </Badge>
      </div>
      {connection !== null && <Details connection={connection} name={name} />}
      {!available && <span className={classes.quiet}>{t("crm.unavailable")}</span>}
      <div className={classes.actions}>
        {available && state !== "connected" && (
          <Button
            component="a"
            size="xs"
            href={connectPath(botId, provider)}
            aria-label={t(connection === null ? "crm.connectNamed" : "crm.reconnectNamed", { name })}
          >
            {t(connection === null ? "crm.connect" : "crm.reconnect")}
          </Button>
        )}
        {connection !== null && (
          <Button
            size="xs"
            variant="default"
            aria-label={t("crm.disconnectNamed", { name })}
            onClick={() => setLeaving(true)}
          >
            {t("crm.disconnect")}
          </Button>
        )}
      </div>
      {isLeaving && <DisconnectDialog botId={botId} offer={offer} onSaid={onSaid} onClose={() => setLeaving(false)} />}
    </li>
  )
}

interface DetailsProps {
  readonly connection: CrmConnection
  /** The name of the provider. */
  readonly name: string
}

const Details = ({ connection, name }: DetailsProps) => {
  const { t, day } = useCrmMessages()
  const { account, connectedAt, connectedBy, problem } = connection
  const shown = account.name ?? account.id
  const key = `crm.problem.${problem}`
  return (
    <>
      {shown !== null && <span className={classes.account}>{shown}</span>}
      <span className={classes.quiet}>{t("crm.since", { day: day(connectedAt), who: connectedBy })}</span>
      {problem !== null && <span>{t(isCrmKey(key) ? key : "crm.problem.unavailable", { name })}</span>}
    </>
  )
}

interface DisconnectDialogProps extends ProviderProps {
  readonly onClose: () => void
}

const DisconnectDialog = ({ botId, offer: { name, provider }, onSaid, onClose }: DisconnectDialogProps) => {
  const { t } = useCrmMessages()
  const client = useQueryClient()
  const disconnecting = useMutation({
    mutationFn: () => parley.bots.disconnectCrm(botId, provider),
    onSuccess: async ({ revocation }) => {
      onSaid(t(revocation === "revoked" ? "crm.disconnected" : `crm.disconnected.${revocation}`, { name }))
      await client.invalidateQueries({ queryKey: crmQuery(botId).queryKey })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      title={t("crm.disconnect.title", { name })}
      text={t("crm.disconnect.text", { name })}
      action={t("crm.disconnect")}
      isBusy={disconnecting.isPending}
      problem={disconnecting.error ?? undefined}
      onConfirm={() => disconnecting.mutate()}
      onClose={onClose}
    />
  )
}
