import type { Bot, BotReport } from "@parley/client"
import { Button, SegmentedControl, Text, Title } from "@mantine/core"
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { Link } from "react-router"
import { parley } from "../../../api/parley.ts"
import { lazyPart } from "../../../parts/lazyPart.ts"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import { saveFile } from "../../saveFile.ts"
import { conversationPath } from "../botPath.ts"
import { useHandoverMessages } from "../people/useHandoverMessages.ts"
import classes from "./ReportPage.module.css"

const ReportChart = lazyPart(async () => (await import("./ReportChart.tsx")).ReportChart)

const RANGES = [7, 30, 90] as const

const reportQuery = (botId: string, days: number) =>
  queryOptions({
    queryKey: ["bots", botId, "report", days],
    queryFn: ({ signal }) => parley.call("getBotReport", { path: { id: botId }, query: { days } }, { signal })
  })

/** The report on the conversations of a bot in the last days. */
export const ReportPage = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useHandoverMessages()
  const [days, setDays] = useState(30)
  const { data, error, refetch } = useQuery(reportQuery(bot.id, days))
  const table = useMutation({
    mutationFn: async () => (await parley.call("getBotReportTable", { path: { id: bot.id }, query: { days } })).blob(),
    onSuccess: (bytes) => saveFile("report.csv", "text/csv", bytes)
  })
  return (
    <section aria-label={t("report.title")} className={classes.report}>
      <div className={classes.tools}>
        <SegmentedControl
          aria-label={t("usage.days.range")}
          value={String(days)}
          onChange={(chosen) => setDays(Number(chosen))}
          data={RANGES.map((count) => ({ value: String(count), label: t("usage.days.last", { count }) }))}
        />
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={table.isPending}
          onClick={() => table.mutate()}
        >
          {t("report.csv")}
        </Button>
      </div>
      {table.error !== null && <ProblemNotice error={table.error} onDismiss={table.reset} />}
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Report bot={bot} report={data} />
      )}
    </section>
  )
}

const sumOf = (
  { days }: BotReport,
  key: "bad" | "conversations" | "credits" | "good" | "questions" | "unanswered" | "unresolved"
) => days.reduce((sum, day) => sum + day[key], 0)

const Report = ({ bot, report }: { readonly bot: Bot; readonly report: BotReport }) => {
  const { t, number } = useHandoverMessages()
  const conversations = sumOf(report, "conversations")
  if (conversations === 0) return <p className={classes.none}>{t("report.none")}</p>
  const credits = sumOf(report, "credits")
  const resolved = (conversations - sumOf(report, "unresolved")) / conversations
  const facts = [
    ["report.conversations", number(conversations)],
    ["report.resolved", number(resolved, { style: "percent" })],
    ["report.credits", number(credits)],
    ["report.perConversation", number(credits / conversations, { maximumFractionDigits: 1 })],
    ["report.unanswered", number(sumOf(report, "unanswered"))],
    ["report.ratings", `${number(sumOf(report, "good"))} / ${number(sumOf(report, "bad"))}`]
  ] as const
  return (
    <>
      <dl className={classes.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Suspense fallback={<div className={classes.waiting} />}>
        <ReportChart report={report} />
      </Suspense>
      <Text size="xs" c="dimmed">
        {t("report.note")}
      </Text>
      <Questions bot={bot} report={report} />
      <Documents report={report} />
    </>
  )
}

const Questions = ({ bot, report: { unanswered } }: { readonly bot: Bot; readonly report: BotReport }) => {
  const { t, moment } = useHandoverMessages()
  return (
    <section aria-label={t("report.questions")}>
      <Title order={2} size="h4">
        {t("report.questions")}
      </Title>
      {unanswered.length === 0 && <Text c="dimmed">{t("report.questions.none")}</Text>}
      <ul className={classes.list}>
        {unanswered.map(({ at, conversationIds: [newest = ""], count, question }) => (
          <li key={`${question} ${at}`}>
            <Link to={conversationPath(bot.id, newest)}>{question}</Link>
            <span className={classes.quiet}>
              {t("report.times", { count })}, {moment(at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Documents = ({ report: { cited, uncited } }: { readonly report: BotReport }) => {
  const { t } = useHandoverMessages()
  return (
    <section aria-label={t("report.documents")}>
      <Title order={2} size="h4">
        {t("report.documents")}
      </Title>
      <ul className={classes.list}>
        {cited.map(({ documentId, filename, replies }) => (
          <li key={documentId}>
            <span>{filename}</span>
            <span className={classes.quiet}>{t("report.cited", { count: replies })}</span>
          </li>
        ))}
        {uncited.map(({ documentId, filename }) => (
          <li key={documentId}>
            <span>{filename}</span>
            <span className={classes.quiet}>{t("report.uncited")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
