import type { Price } from "@parley/client"
import { Alert, Button, Text } from "@mantine/core"
import { usePlans } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import { Link, useSearchParams } from "react-router"
import { openPortal, readPurchases, subscriptionQuery } from "../../api/plans.ts"
import { meQuery, serverSettingsQuery } from "../../api/session.ts"
import { chatOf } from "../../billing/billingPath.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./BillingPage.module.css"
import { BuyCredits } from "./BuyCredits.tsx"
import { CurrentPlan } from "./CurrentPlan.tsx"
import { Invoices } from "./Invoices.tsx"
import { Plans } from "./Plans.tsx"
import { ReturnNotice } from "./ReturnNotice.tsx"
import { returnPath } from "./returnQuery.ts"
import { useProvider } from "./useProvider.ts"

/** The page with the person's plan, the other plans, packs of credits and the invoices. */
export const BillingPage = () => {
  const { t } = useMessages()
  const [query] = useSearchParams()
  const chat = chatOf(query)
  const { checkout: openCheckout } = usePlans()
  const checkout = useProvider(async (price: Price) => {
    const bought =
      price.every === null
        ? ({ item: "credits", purchasesBefore: await readPurchases() } as const)
        : ({ item: "plan" } as const)
    return openCheckout(price, returnPath(bought, chat))
  })
  const portal = useProvider(() => openPortal(returnPath(undefined, chat)))
  const problem = checkout.problem ?? portal.problem
  const dismiss = () => {
    checkout.dismissProblem()
    portal.dismissProblem()
  }
  return (
    <Page
      title={t("nav.billing")}
      lead={
        <>
          {t("billing.lead")}
          {chat !== undefined && !query.has("checkout") && (
            <>
              {" "}
              <Link className={classes.back} to={chat}>
                {t("billing.backToChat")}
              </Link>
            </>
          )}
        </>
      }
    >
      <div className={classes.sections}>
        <StandInNote />
        <ReturnNotice />
        {problem !== null && <ProblemNotice error={problem} onDismiss={dismiss} />}
        <CurrentPlan isLeaving={portal.isLeaving} onManage={() => portal.go()} />
        <ForSale
          leavingFor={checkout.asked?.priceId}
          onBuy={(price) => checkout.go(price)}
          onChange={() => portal.go()}
        />
        <Billed />
      </div>
    </Page>
  )
}

/** Explains that a payment stand-in sells, so that no real money is charged. */
const StandInNote = () => {
  const { t } = useMessages()
  const { data: settings } = useQuery(serverSettingsQuery)
  if (settings?.standInPayments == null) return null
  return (
    <p className={classes.standIn} role="note">
      {t("billing.standIn")} <a href={settings.standInPayments}>{t("billing.standIn.open")}</a>
    </p>
  )
}

interface ForSaleProps {
  readonly leavingFor: string | undefined
  readonly onBuy: (price: Price) => void
  readonly onChange: () => void
}

const ForSale = ({ leavingFor, onBuy, onChange }: ForSaleProps) => {
  const { t } = useMessages()
  const { data: me } = useQuery(meQuery)
  const { data: state } = useQuery(subscriptionQuery)
  const { plans: offers, error, reload } = usePlans()
  if (offers === undefined && error !== undefined) return <ProblemNotice error={error} onRetry={reload} />
  if (offers === undefined || state === undefined || me == null) return <Loading />
  const { credits, plans, pricesUnavailable } = offers
  if (!pricesUnavailable && credits.length === 0 && plans.every(({ prices }) => prices.length === 0)) {
    return (
      <div className={classes.none}>
        <strong>{t("billing.none.title")}</strong>
        <Text c="dimmed">{t("billing.none.text")}</Text>
      </div>
    )
  }
  const packs = credits.toSorted((one, other) => one.credits - other.credits)
  const { subscription } = state
  return (
    <>
      {pricesUnavailable && <NoPrices onRetry={reload} />}
      <Plans
        plans={plans}
        pricesUnavailable={pricesUnavailable}
        tier={me.tier.id}
        subscription={subscription}
        leavingFor={leavingFor}
        onChoose={onBuy}
        onChange={onChange}
      />
      {packs.length > 0 && <BuyCredits packs={packs} leavingFor={leavingFor} onBuy={onBuy} />}
    </>
  )
}

/** Explains why plans have no prices at the moment. */
const NoPrices = ({ onRetry }: { readonly onRetry: () => void }) => {
  const { t } = useMessages()
  return (
    <Alert color="yellow" variant="light" role="status" styles={{ message: { color: "var(--text)" } }}>
      <Text size="sm">{t("billing.noPrices")}</Text>
      <Button mt="xs" size="xs" variant="default" onClick={onRetry}>
        {t("action.retry")}
      </Button>
    </Alert>
  )
}

const Billed = () => {
  const { data: state } = useQuery(subscriptionQuery)
  return state === undefined ? null : <Invoices customerId={state.customerId} />
}
