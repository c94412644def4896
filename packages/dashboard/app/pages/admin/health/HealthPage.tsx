import type { ServiceHealth } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { healthQuery, OPEN_STATES } from "../../../api/admin.ts"
import { type AdminMessages, useAdminMessages } from "../useAdminMessages.ts"
import { useModelName } from "../../../messages/useModelName.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import classes from "../Admin.module.css"
import { AdminFrame } from "../AdminFrame.tsx"
import { Section, type Tile, Tiles } from "../Section.tsx"
import { Table } from "../Table.tsx"
import { Waiting } from "../Waiting.tsx"
import { ageWords } from "./ageWords.ts"

/**
 * The state of the service: workers, queue, webhooks, payments, models and refusals. The page reads it again every ten
 * seconds.
 */
export const HealthPage = () => {
  const { t } = useAdminMessages()
  const { data: health, error, refetch } = useQuery(healthQuery)
  return (
    <AdminFrame title={t("admin.health")} lead={t("admin.health.lead")}>
      {health === undefined ? (
        <Waiting error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
          <Work health={health} />
          <Destinations health={health} />
          <Payments health={health} />
          <Models health={health} />
          <Refusals health={health} />
        </>
      )}
    </AdminFrame>
  )
}

interface PartProps {
  readonly health: ServiceHealth
}

/** The largest number of jobs in one state that the server counts. */
const COUNTED = 100
const counted = ({ number }: AdminMessages, count: number): string =>
  count >= COUNTED ? `${number(COUNTED)}+` : number(count)

const Work = ({ health: { jobs, work, workers } }: PartProps) => {
  const messages = useAdminMessages()
  const { t, number } = messages
  const statusOf = (name: "workers" | "jobs") => work.find((finding) => finding.name === name)?.status
  const { alive, due, lastSeenSeconds, oldestDueSeconds } = workers
  const seen =
    lastSeenSeconds === null
      ? t("admin.health.workers.never")
      : t("admin.health.workers.seen", { age: ageWords(messages, lastSeenSeconds) })
  const waits =
    oldestDueSeconds === null
      ? t("admin.health.queue.none")
      : t("admin.health.oldest", { age: ageWords(messages, oldestDueSeconds) })
  const tiles: ReadonlyArray<Tile> = [
    { name: t("admin.health.workers"), value: number(alive), remark: seen, isBad: statusOf("workers") === "failed" },
    { name: t("admin.health.queue"), value: number(due), remark: waits, isBad: statusOf("jobs") === "failed" },
    { name: t("admin.health.running"), value: counted(messages, jobs.running) },
    {
      name: t("admin.health.failed"),
      value: counted(messages, jobs.failed),
      remark: jobs.failed > 0 ? t("admin.health.failed.text") : undefined,
      isBad: jobs.failed > 0
    }
  ]
  return (
    <Section title={t("admin.health.work")}>
      <Tiles tiles={tiles} />
    </Section>
  )
}

/** The destination that back ends read over HTTP. Its events are not delivered, so none of them waits. */
const FEED = "feed"

const Destinations = ({ health: { destinations } }: PartProps) => {
  const messages = useAdminMessages()
  const { t, moment, number } = messages
  return (
    <Section title={t("admin.health.destinations")} text={t("admin.health.destinations.text")}>
      <Table
        label={t("admin.health.destinations")}
        rows={destinations.filter(({ id }) => id !== FEED)}
        keyOf={({ id }) => id}
        none={t("admin.health.destinations.none")}
        columns={[
          { name: t("admin.health.destination"), isLong: true, cell: ({ id }) => id },
          { name: t("admin.health.waiting"), isNumber: true, cell: ({ pending }) => number(pending) },
          {
            name: t("admin.health.age"),
            isNumber: true,
            cell: ({ oldestSeconds }) => (oldestSeconds === null ? "–" : ageWords(messages, oldestSeconds))
          },
          {
            name: t("admin.health.refused"),
            isNumber: true,
            cell: ({ dead }) => <span className={dead > 0 ? classes.bad : undefined}>{number(dead)}</span>
          },
          {
            name: t("admin.health.state"),
            cell: ({ disabledAt }) =>
              disabledAt === null ? (
                t("admin.health.enabled")
              ) : (
                <span className={classes.bad}>{t("admin.health.disabled", { moment: moment(disabledAt) })}</span>
              )
          }
        ]}
      />
    </Section>
  )
}

const Payments = ({ health: { paymentEvents } }: PartProps) => {
  const messages = useAdminMessages()
  const { t } = messages
  return (
    <Section title={t("admin.payments")}>
      <Tiles
        tiles={OPEN_STATES.map((state) => ({
          name: t(`admin.payments.${state}`),
          value: counted(messages, paymentEvents[state]),
          isBad: state !== "waiting" && paymentEvents[state] > 0
        }))}
      />
    </Section>
  )
}

const Models = ({ health: { vendors } }: PartProps) => {
  const { t, number } = useAdminMessages()
  const modelName = useModelName()
  return (
    <Section title={t("admin.health.vendors")} text={t("admin.health.process")}>
      <Table
        label={t("admin.health.vendors")}
        rows={vendors}
        keyOf={({ model, reason, vendor }) => `${vendor} ${model} ${reason}`}
        none={t("admin.health.vendors.none")}
        columns={[
          { name: t("usage.days.model"), cell: ({ model }) => modelName(model) },
          { name: t("admin.health.vendor"), cell: ({ vendor }) => vendor },
          { name: t("admin.reason"), cell: ({ reason }) => reason },
          { name: t("admin.health.count"), isNumber: true, cell: ({ failures }) => number(failures) }
        ]}
      />
    </Section>
  )
}

const Refusals = ({ health: { refusals } }: PartProps) => {
  const { t, number } = useAdminMessages()
  return (
    <Section title={t("admin.health.refusals")} text={t("admin.health.process")}>
      <Table
        label={t("admin.health.refusals")}
        rows={Object.entries(refusals).toSorted(([, a], [, b]) => b - a)}
        keyOf={([code]) => code}
        none={t("admin.health.refusals.none")}
        columns={[
          { name: t("admin.health.code"), cell: ([code]) => code },
          { name: t("admin.health.count"), isNumber: true, cell: ([, count]) => number(count) }
        ]}
      />
    </Section>
  )
}
