import { Alert, Button, Loader, Text } from "@mantine/core"
import { useBalance } from "@parley/react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { Link, useSearchParams } from "react-router"
import { creditsLeft } from "../../api/billing.ts"
import { readPurchases, subscriptionQuery } from "../../api/plans.ts"
import { meQuery } from "../../api/session.ts"
import { chatOf } from "../../billing/billingPath.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./BillingPage.module.css"
import { isLateAfter, nextAskMs } from "./nextAsk.ts"
import { type Bought, readReturn, withoutReturn } from "./returnQuery.ts"

/** The result of a checkout, shown when the person returns from the payment provider. */
export const ReturnNotice = () => {
  const [query, setQuery] = useSearchParams()
  const returned = readReturn(query)
  if (returned === undefined) return null
  const dismiss = () => setQuery(withoutReturn(query), { replace: true })
  return returned.outcome === "cancelled" ? (
    <Cancelled onDismiss={dismiss} />
  ) : (
    <Paid bought={returned.bought} onDismiss={dismiss} />
  )
}

interface OutcomeProps {
  readonly onDismiss: () => void
}

const Cancelled = ({ onDismiss }: OutcomeProps) => {
  const { t } = useMessages()
  return (
    <Outcome tone="quiet" title={t("billing.return.cancelled")} onDismiss={onDismiss}>
      {t("billing.return.cancelled.text")}
    </Outcome>
  )
}

const Paid = ({ bought, onDismiss }: OutcomeProps & { readonly bought: Bought }) => {
  const { t } = useMessages()
  const { balance } = useBalance()
  const { data: me } = useQuery(meQuery)
  const { error, hasArrived, isLate, lookAgain } = useArrival(bought)
  if (error !== null) return <ProblemNotice error={error} onRetry={lookAgain} onDismiss={onDismiss} />
  if (hasArrived) {
    const title =
      bought.item === "plan"
        ? t("billing.return.plan", { plan: me?.tier.name ?? "" })
        : t("billing.return.credits", { count: balance === undefined ? 0 : creditsLeft(balance) })
    return <Outcome tone="good" title={title} onDismiss={onDismiss} />
  }
  if (isLate) {
    return (
      <Outcome tone="quiet" title={t("billing.return.late")} onDismiss={onDismiss}>
        {t("billing.return.late.text")}
        <Button size="xs" variant="default" mt="xs" onClick={lookAgain}>
          {t("billing.return.look")}
        </Button>
      </Outcome>
    )
  }
  return (
    <Outcome tone="waiting" title={t("billing.return.waiting")}>
      {t("billing.return.waiting.text")}
    </Outcome>
  )
}

/**
 * Polls the server until the purchase has arrived, which the provider reports to the server separately; then reads all
 * data again.
 */
const useArrival = (bought: Bought) => {
  const client = useQueryClient()
  const before = bought.item === "credits" ? bought.purchasesBefore : 0
  const {
    data: hasArrived = false,
    dataUpdatedAt,
    error,
    refetch
  } = useQuery({
    queryKey: ["arrival", bought.item, before],
    queryFn: async ({ signal }) =>
      bought.item === "plan"
        ? (await client.fetchQuery({ ...subscriptionQuery, staleTime: 0 })).subscription !== null
        : (await readPurchases(signal)) > before,
    refetchInterval: ({ state }) => (state.data === true ? false : nextAskMs(state.dataUpdateCount)),
    staleTime: Infinity
  })
  const asks = client.getQueryState(["arrival", bought.item, before])?.dataUpdateCount ?? 0
  useEffect(() => {
    if (!hasArrived) return
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "arrival" })
  }, [client, hasArrived, dataUpdatedAt])
  return { error, hasArrived, isLate: isLateAfter(asks), lookAgain: () => void refetch() }
}

interface OutcomeNoticeProps {
  readonly tone: "good" | "quiet" | "waiting"
  readonly title: string
  readonly onDismiss?: () => void
  readonly children?: ReactNode
}

/** The result as a notice that screen readers announce when it changes. */
const Outcome = ({ tone, title, onDismiss, children }: OutcomeNoticeProps) => {
  const { t } = useMessages()
  const [query] = useSearchParams()
  const chat = chatOf(query)
  return (
    <Alert
      role="status"
      color={tone === "good" ? "green" : "gray"}
      variant="light"
      icon={
        tone === "waiting" ? (
          <Loader size={18} color="var(--text-quiet)" />
        ) : (
          <Icon name={tone === "good" ? "check" : "info"} />
        )
      }
      title={title}
      withCloseButton={onDismiss !== undefined}
      closeButtonLabel={t("action.dismiss")}
      {...(onDismiss === undefined ? {} : { onClose: onDismiss })}
      styles={{ title: { color: "var(--text)" }, message: { color: "var(--text)" } }}
    >
      {children !== undefined && (
        <Text component="div" size="sm">
          {children}
        </Text>
      )}
      {chat !== undefined && tone !== "waiting" && (
        <Link className={classes.back} to={chat}>
          {t("billing.backToChat")}
        </Link>
      )}
    </Alert>
  )
}
