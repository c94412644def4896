import type { Balance } from "@parley/client"
import { NumberInput, Text, Title } from "@mantine/core"
import { useBalance } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { creditsLeft } from "../../api/billing.ts"
import { meQuery } from "../../api/session.ts"
import { useThreshold } from "../../lowBalance/lowBalance.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./BalanceSection.module.css"

/** The person's balance by bucket, the date of the next credits, and the threshold of the low-balance warning. */
export const BalanceSection = () => {
  const { t } = useMessages()
  const { balance, error, reload } = useBalance()
  return (
    <section aria-label={t("usage.balance")} className={classes.card}>
      {balance !== undefined ? (
        <>
          <div className={classes.top}>
            <Left balance={balance} />
            <WarnUnder />
          </div>
          <Buckets balance={balance} />
        </>
      ) : error === undefined ? (
        <Loading />
      ) : (
        <ProblemNotice error={error} onRetry={reload} />
      )}
    </section>
  )
}

const Left = ({ balance }: { readonly balance: Balance }) => {
  const { t } = useMessages()
  return (
    <div>
      <Title order={2} size="sm" fw={500} c="dimmed">
        {t("usage.left")}
      </Title>
      <div className={classes.left}>{t("count.credits", { count: creditsLeft(balance) })}</div>
      <Link className={classes.more} to={PAGE_PATHS.billing}>
        {t("billing.getCredits")}
      </Link>
    </div>
  )
}

const WarnUnder = () => {
  const { t, separators } = useMessages()
  const [threshold, changeThreshold] = useThreshold()
  return (
    <NumberInput
      className={classes.warn ?? ""}
      label={t("usage.warn")}
      description={t("usage.warn.text")}
      suffix={` ${t("usage.warn.unit")}`}
      placeholder="–"
      min={0}
      max={1_000_000_000}
      step={10}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator={separators.thousands}
      decimalSeparator={separators.decimal}
      value={threshold ?? ""}
      onChange={(value) => changeThreshold(value === "" ? undefined : Number(value))}
    />
  )
}

const Buckets = ({ balance: { allowance, topup, held, debt, nextResetAt } }: { readonly balance: Balance }) => {
  const { t, day } = useMessages()
  const { data: me } = useQuery(meQuery)
  const monthly = me?.tier.monthlyCredits ?? 0
  const share = monthly > 0 ? Math.min(1, allowance / monthly) : 0
  const ofMonth = t("usage.bucket.ofMonth", { total: monthly })
  return (
    <dl className={classes.buckets}>
      <Bucket
        name={t("usage.bucket.allowance")}
        amount={allowance}
        of={ofMonth}
        text={t("usage.bucket.allowance.text", { day: day(nextResetAt) })}
      >
        <svg className={classes.meter} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect className={classes.track} width="100" height="6" />
          <rect className={classes.filled} width={100 * share} height="6" />
        </svg>
      </Bucket>
      <Bucket name={t("usage.bucket.topup")} amount={topup} text={t("usage.bucket.topup.text")} />
      <Bucket name={t("usage.bucket.held")} amount={held} text={t("usage.bucket.held.text")} />
      <Bucket name={t("usage.bucket.debt")} amount={debt} text={t("usage.bucket.debt.text")} isOwed={debt > 0} />
    </dl>
  )
}

interface BucketProps {
  readonly name: string
  readonly amount: number
  /** The total amount; the shown amount is a part of it. */
  readonly of?: string
  readonly text: string
  readonly isOwed?: boolean
  readonly children?: ReactNode
}

const Bucket = ({ name, amount, of, text, isOwed = false, children }: BucketProps) => {
  const { number } = useMessages()
  return (
    <div className={classes.bucket} data-owed={isOwed}>
      <dt>{name}</dt>
      <dd className={classes.amount}>
        {number(amount)}
        {of !== undefined && (
          <Text span size="sm" c="dimmed" fw={400}>
            {" "}
            {of}
          </Text>
        )}
        {children}
      </dd>
      <dd className={classes.text}>{text}</dd>
    </div>
  )
}
