import type { Plan, Price, Subscription } from "@parley/client"
import { Button, SegmentedControl, Text, Title } from "@mantine/core"
import { useId, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { useModelName } from "../../messages/useModelName.ts"
import { Icon } from "../../theme/Icon.tsx"
import shared from "./BillingPage.module.css"
import classes from "./Plans.module.css"
import { intervalsOf, keyOf, perWords } from "./priceWords.ts"

export interface PlansProps {
  readonly plans: ReadonlyArray<Plan>
  /** True if the payment provider does not answer, so that prices are unknown at the moment. */
  readonly pricesUnavailable: boolean
  readonly tier: string
  readonly subscription: Subscription | null
  /** The id of the price whose checkout page is being opened. */
  readonly leavingFor: string | undefined
  readonly onChoose: (price: Price) => void
  /** Opens the provider's page for changing a plan. */
  readonly onChange: () => void
}

/** The plans side by side, each with its contents and its price. */
export const Plans = (props: PlansProps) => {
  const { plans, pricesUnavailable, tier, subscription, leavingFor, onChoose, onChange } = props
  const { t } = useMessages()
  const prices = plans.flatMap((plan) => plan.prices)
  const intervals = intervalsOf(prices)
  const paidNow = prices.find(({ priceId }) => priceId === subscription?.priceId)?.every
  const [chosen, setChosen] = useState<string>()
  const interval = chosen ?? (paidNow == null ? intervals.map(keyOf)[0] : keyOf(paidNow))
  return (
    <section aria-label={t("billing.plans")}>
      <div className={shared.head}>
        <Title order={2} size="h4">
          {t("billing.plans")}
        </Title>
        {intervals.length > 1 && (
          <SegmentedControl
            aria-label={t("billing.plans.interval")}
            value={interval ?? ""}
            onChange={setChosen}
            data={intervals.map((each) => ({
              value: keyOf(each),
              label: t(`billing.every.${each.unit}`, { count: each.count })
            }))}
          />
        )}
      </div>
      <ul className={classes.plans}>
        {plans.map((plan, place) => (
          <PlanCard
            key={plan.id}
            plan={plan}
            isLowest={place === 0}
            isCurrent={plan.id === tier}
            currency={prices[0]?.currency}
            hasPrice={!pricesUnavailable}
            sold={plan.prices.filter(({ every }) => every !== null && keyOf(every) === interval)}
            leavingFor={leavingFor}
            {...(subscription === null ? { onChoose } : { onChange })}
          />
        ))}
      </ul>
      {subscription !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          {t("billing.plan.changeNote")}
        </Text>
      )}
    </section>
  )
}

interface PlanCardProps {
  readonly plan: Plan
  /** True for the free plan. */
  readonly isLowest: boolean
  readonly isCurrent: boolean
  /** The currency in which the price of a free plan is shown as zero. */
  readonly currency: string | undefined
  /** True if it is known whether the plan has a price. */
  readonly hasPrice: boolean
  /** The plan's prices in the chosen interval. */
  readonly sold: ReadonlyArray<Price>
  readonly leavingFor: string | undefined
  readonly onChoose?: (price: Price) => void
  readonly onChange?: () => void
}

const PlanCard = (props: PlanCardProps) => {
  const { plan, isLowest, isCurrent, currency, hasPrice, sold, leavingFor, onChoose, onChange } = props
  const { t } = useMessages()
  const id = useId()
  return (
    <li className={classes.plan} data-current={isCurrent} aria-labelledby={id}>
      <Title order={3} size="h5" id={id}>
        {plan.name}
      </Title>
      {hasPrice && <PlanPrice price={sold[0] ?? (isLowest && currency !== undefined ? free(currency) : undefined)} />}
      <div className={classes.action}>
        {isCurrent ? (
          <span className={classes.mine}>
            <Icon name="check" size={16} /> {t("billing.plan.current")}
          </span>
        ) : plan.prices.length === 0 ? null : onChange !== undefined ? (
          <Button fullWidth variant="default" onClick={onChange}>
            {t("billing.plan.change", { plan: plan.name })}
          </Button>
        ) : (
          sold.map((price) => (
            <Button
              key={price.priceId}
              fullWidth
              loading={leavingFor === price.priceId}
              disabled={leavingFor !== undefined && leavingFor !== price.priceId}
              onClick={() => onChoose?.(price)}
            >
              {t("billing.plan.choose", { plan: plan.name })}
              {sold.length > 1 && ` (${price.currency.toUpperCase()})`}
            </Button>
          ))
        )}
      </div>
      <Includes plan={plan} />
    </li>
  )
}

const free = (currency: string): Price => ({ priceId: "", amount: 0, currency, every: null })

/** The amount in large type, with its interval beside it. */
const PlanPrice = ({ price }: { readonly price: Price | undefined }) => {
  const { t, money } = useMessages()
  if (price?.amount == null) {
    return (
      <p className={classes.price} data-none>
        {t(price === undefined ? "billing.plan.notSold" : "billing.price.atCheckout")}
      </p>
    )
  }
  return (
    <p className={classes.price}>
      {money(price.amount, price.currency, { trailingZeroDisplay: "stripIfInteger" })}{" "}
      <small>{price.every !== null && perWords(price.every, t)}</small>
    </p>
  )
}

const Includes = ({ plan }: { readonly plan: Plan }) => {
  const { t, size, list } = useMessages()
  const modelName = useModelName()
  const { maxChatBytes, maxConcurrentReplies, maxDocumentBytes, maxDocuments } = plan.quotas
  const lines = [
    t("billing.current.credits", { count: plan.monthlyCredits }),
    t("billing.plan.models", { models: list(plan.models.map(modelName)) }),
    t("billing.plan.documents", { count: maxDocuments, size: size(maxDocumentBytes) }),
    t("billing.plan.chats", { size: size(maxChatBytes) }),
    ...(maxConcurrentReplies === null ? [] : [t("billing.plan.replies", { count: maxConcurrentReplies })])
  ]
  return (
    <ul className={classes.includes} aria-label={t("billing.plan.includes", { plan: plan.name })}>
      {lines.map((line) => (
        <li key={line}>
          <Icon name="check" size={16} />
          <span>{line}</span>
        </li>
      ))}
    </ul>
  )
}
