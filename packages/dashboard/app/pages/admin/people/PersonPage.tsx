import { type Person } from "@parley/client"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../../../src/pagePaths.ts"
import { hasStatus } from "../../../api/parley.ts"
import { personHistoryQuery, personQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { HistoryRow } from "../../usage/history/HistoryRow.tsx"
import classes from "../Admin.module.css"
import { AdminFrame } from "../AdminFrame.tsx"
import { AuditSection } from "../audit/AuditSection.tsx"
import { MoreButton } from "../MoreButton.tsx"
import { Section, type Tile, Tiles } from "../Section.tsx"
import { Waiting } from "../Waiting.tsx"
import { PersonActions } from "./PersonActions.tsx"

export interface PersonPageProps {
  readonly userId: string
  /** True if the operator may act on people and not only read. */
  readonly mayAct: boolean
}

/** The page of one person: tier, credits and access, the possible actions, and the history. */
export const PersonPage = ({ mayAct, userId }: PersonPageProps) => {
  const { t } = useAdminMessages()
  const { data: person, error, refetch } = useQuery(personQuery(userId))
  const isUnknown = hasStatus(error, 404)
  return (
    <AdminFrame
      title={userId}
      lead={
        <Link className={classes.link} to={PAGE_PATHS.adminPeople}>
          {t("admin.people.back")}
        </Link>
      }
    >
      {person !== undefined ? (
        <>
          <Facts person={person} />
          {mayAct ? <PersonActions person={person} /> : <p>{t("admin.readOnly")}</p>}
          {person.account !== null && <History userId={userId} />}
          <AuditSection userId={userId} />
        </>
      ) : isUnknown ? (
        <p>{t("admin.person.unknown")}</p>
      ) : (
        <Waiting error={error} onRetry={() => void refetch()} />
      )}
    </AdminFrame>
  )
}

const Facts = ({ person: { account, blockedAt, notBefore } }: { readonly person: Person }) => {
  const { t, day, moment, number } = useAdminMessages()
  const access: Tile = {
    name: t("admin.access"),
    value: blockedAt === null ? t("admin.access.open") : t("admin.access.blocked.short"),
    remark:
      blockedAt !== null
        ? t("admin.access.blocked", { moment: moment(blockedAt) })
        : notBefore === null
          ? undefined
          : t("admin.access.signedOut", { moment: moment(notBefore) }),
    isBad: blockedAt !== null
  }
  const tiles = account === null ? [{ name: t("admin.tier"), value: t("admin.noAccount") }] : accountTiles(account)
  function accountTiles({ balance, paidTier, pinned, tier }: NonNullable<Person["account"]>): ReadonlyArray<Tile> {
    const paid = paidTier === null ? t("admin.tier.unpaid") : t("admin.tier.paid", { tier: paidTier })
    return [
      { name: t("admin.tier"), value: tier, remark: pinned ? t("admin.tier.pinned") : paid },
      {
        name: t("admin.available"),
        value: number(balance.available),
        remark: t("admin.available.text", { held: balance.held, day: day(balance.nextResetAt) })
      },
      { name: t("usage.bucket.allowance"), value: number(balance.allowance) },
      { name: t("admin.bucket.topup"), value: number(balance.topup) },
      { name: t("usage.bucket.debt"), value: number(balance.debt), isBad: balance.debt > 0 }
    ]
  }
  return (
    <section aria-label={t("admin.person.now")}>
      <Tiles tiles={[...tiles, access]} />
    </section>
  )
}

/** The changes of the person's balance, newest first. */
const History = ({ userId }: { readonly userId: string }) => {
  const { t } = useAdminMessages()
  const history = useInfiniteQuery(personHistoryQuery(userId))
  const transactions = history.data?.pages.flatMap((page) => page.transactions) ?? []
  return (
    <Section title={t("usage.history")}>
      {history.data === undefined ? (
        <Waiting error={history.error} onRetry={() => void history.refetch()} />
      ) : (
        <ul className={classes.rows}>
          {transactions.map((transaction) => (
            <HistoryRow key={transaction.id} transaction={transaction} />
          ))}
        </ul>
      )}
      <MoreButton {...history} />
    </Section>
  )
}
