import type { Me, Plans, Subscription } from "@parley/client"
import { Badge, Button, Text, Title } from "@mantine/core"
import { useBalance, usePlans } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { creditsLeft } from "../../api/billing.ts"
import { subscriptionQuery } from "../../api/plans.ts"
import { meQuery } from "../../api/session.ts"
import type { MessageKey } from "../../messages/catalogue.ts"
import { type Messages, useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./CurrentPlan.module.css"
import { priceWords } from "./priceWords.ts"

export interface CurrentPlanProps {
  readonly isLeaving: boolean
  readonly onManage: () => void
}

/** The person's plan, the next change of the plan, and the remaining credits. */
export const CurrentPlan = ({ isLeaving, onManage }: CurrentPlanProps) => {
  const messages = useMessages()
  const { t } = messages
  const { data: me } = useQuery(meQuery)
  const { balance } = useBalance()
  const { plans: offers } = usePlans()
  const { data: state, error, refetch } = useQuery(subscriptionQuery)
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (state === undefined || me == null) return <Loading />
  const { customerId, others, subscription } = state
  const standing = subscription === null ? undefined : STANDINGS[subscription.status]
  const badge = standing?.badge ?? (subscription?.endsAt == null ? undefined : "billing.badge.ends")
  return (
    <section aria-label={t("billing.current")} className={classes.card}>
      <div className={classes.words}>
        <Text size="sm" c="dimmed">
          {t("billing.current")}
        </Text>
        <div className={classes.name}>
          <Title order={2} size="h3">
            {me.tier.name}
          </Title>
          {badge !== undefined && (
            <Badge
              className={classes.badge ?? ""}
              data-tone={standing?.isBad === true ? "bad" : "plain"}
              variant="light"
            >
              {t(badge)}
            </Badge>
          )}
        </div>
        <Text>{t("billing.current.credits", { count: me.tier.monthlyCredits })}</Text>
        {standing?.text !== undefined && <Alarm>{t(standing.text)}</Alarm>}
        {others.length > 0 && (
          <Alarm>
            {t("billing.current.others", {
              count: others.length,
              plans: messages.list(others.map(({ tier }) => nameOf(tier, offers)))
            })}
          </Alarm>
        )}
        {sentencesOf({ me, subscription, offers, nextCredits: balance?.nextResetAt }, messages).map((sentence) => (
          <Text key={sentence} size="sm" c="dimmed">
            {sentence}
          </Text>
        ))}
      </div>
      <div className={classes.side}>
        <Remaining />
        {customerId !== null && (
          <Button variant={standing?.isBad === true ? "filled" : "default"} loading={isLeaving} onClick={onManage}>
            {t(standing?.isBad === true ? "billing.manage.pay" : "billing.manage")}
          </Button>
        )}
      </div>
    </section>
  )
}

const Alarm = ({ children }: { readonly children: ReactNode }) => (
  <p className={classes.alarm} role="alert">
    <Icon name="info" /> {children}
  </p>
)

/** The remaining credits. */
const Remaining = () => {
  const { t, number } = useMessages()
  const { balance } = useBalance()
  return (
    <div>
      <Text size="sm" c="dimmed">
        {t("billing.current.left")}
      </Text>
      <div className={classes.left}>{balance === undefined ? "–" : number(creditsLeft(balance))}</div>
    </div>
  )
}

interface Standing {
  readonly badge: MessageKey
  /** The text key of the problem and its remedy. */
  readonly text?: MessageKey
  readonly isBad: boolean
}

/** The texts for the statuses of a subscription that is not simply active. */
const STANDINGS: Readonly<Partial<Record<Subscription["status"], Standing>>> = {
  trialing: { badge: "billing.badge.trial", isBad: false },
  "past-due": { badge: "billing.badge.pastDue", text: "billing.current.pastDue", isBad: true },
  unpaid: { badge: "billing.badge.unpaid", text: "billing.current.unpaid", isBad: true },
  paused: { badge: "billing.badge.paused", text: "billing.current.paused", isBad: true }
}

interface Known {
  readonly me: Me
  readonly subscription: Subscription | null
  readonly offers: Plans | undefined
  readonly nextCredits: string | undefined
}

const nameOf = (tier: string, offers: Plans | undefined): string =>
  offers?.plans.find(({ id }) => id === tier)?.name ?? tier

/** The id of the first plan, which people without a paid plan have. */
const lowestOf = (offers: Plans | undefined): string => offers?.plans[0]?.id ?? ""

/** The sentences about the renewal, end or change of the plan, and about the next monthly credits, with dates. */
const sentencesOf = ({ me, nextCredits, offers, subscription }: Known, messages: Messages): ReadonlyArray<string> => {
  const { day, t } = messages
  if (subscription === null) {
    const next = nextCredits === undefined ? [] : [t("billing.current.free", { day: day(nextCredits) })]
    return offers === undefined || me.tier.id === lowestOf(offers) ? next : [t("billing.current.given"), ...next]
  }
  const { endsAt, givesMonthly, nextTier, paidUntil } = subscription
  const monthly =
    givesMonthly && nextCredits !== undefined ? [t("billing.current.monthly", { day: day(nextCredits) })] : []
  if (endsAt !== null)
    return [t("billing.current.ends", { day: day(endsAt), plan: nameOf(lowestOf(offers), offers) }), ...monthly]
  if (nextTier !== null) {
    return [t("billing.current.next", { plan: nameOf(nextTier, offers), day: day(paidUntil) }), ...monthly]
  }
  return [...renewalOf(subscription, offers, messages), ...monthly]
}

const renewalOf = (
  { paidUntil, priceId, status }: Subscription,
  offers: Plans | undefined,
  messages: Messages
): ReadonlyArray<string> => {
  const { day, t } = messages
  if (status !== "active" && status !== "trialing") return []
  const kind = status === "trialing" ? "trial" : "renews"
  const price = offers?.plans.flatMap(({ prices }) => prices).find((each) => each.priceId === priceId)
  return [
    price === undefined
      ? t(`billing.current.${kind}.noPrice`, { day: day(paidUntil) })
      : t(`billing.current.${kind}`, { day: day(paidUntil), price: priceWords(price, messages) })
  ]
}
