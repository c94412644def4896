import { Button, NativeSelect, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import {
  HISTORY_ROWS,
  type HistoryFilter,
  historyQuery,
  readWholeHistory,
  TRANSACTION_TYPES
} from "../../../api/usage.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import { saveFile } from "../../saveFile.ts"
import { historyCsv } from "./historyCsv.ts"
import classes from "./HistorySection.module.css"
import { HistoryRow } from "./HistoryRow.tsx"
import shared from "../UsagePage.module.css"

/** Every change of the balance, newest first, each with its receipt. */
export const HistorySection = () => {
  const { t } = useMessages()
  const [filter, setFilter] = useState<HistoryFilter>("all")
  const [page, setPage] = useState(0)
  const { data, error, refetch, isPlaceholderData } = useQuery(historyQuery(filter, page))
  const total = data?.total ?? 0
  return (
    <section aria-label={t("usage.history")}>
      <div className={shared.head}>
        <Title order={2} size="h4">
          {t("usage.history")}
        </Title>
        <div className={shared.tools}>
          <NativeSelect
            aria-label={t("usage.history.filter")}
            value={filter}
            onChange={({ currentTarget }) => {
              setFilter(currentTarget.value as HistoryFilter)
              setPage(0)
            }}
            data={[
              { value: "all", label: t("usage.history.all") },
              ...TRANSACTION_TYPES.map((type) => ({ value: type, label: t(`usage.type.${type}`) }))
            ]}
          />
          <ExportButton filter={filter} isDisabled={total === 0} />
        </div>
      </div>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        )
      ) : total === 0 ? (
        <div className={classes.none}>
          <strong>{t(filter === "all" ? "usage.history.none" : "usage.history.noneOfType")}</strong>
          {filter === "all" && <Text c="dimmed">{t("usage.history.none.text")}</Text>}
        </div>
      ) : (
        <ul className={classes.rows} aria-busy={isPlaceholderData}>
          {data.transactions.map((transaction) => (
            <HistoryRow key={transaction.id} transaction={transaction} />
          ))}
        </ul>
      )}
      {total > HISTORY_ROWS && <Pages page={page} total={total} onGo={setPage} />}
    </section>
  )
}

interface PagesProps {
  readonly page: number
  readonly total: number
  readonly onGo: (page: number) => void
}

const Pages = ({ page, total, onGo }: PagesProps) => {
  const { t } = useMessages()
  const last = Math.ceil(total / HISTORY_ROWS) - 1
  return (
    <nav className={classes.pages} aria-label={t("usage.history.pages")}>
      <Button variant="default" disabled={page === 0} onClick={() => onGo(page - 1)}>
        {t("usage.history.previous")}
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t("usage.history.range", {
          from: page * HISTORY_ROWS + 1,
          to: Math.min(total, (page + 1) * HISTORY_ROWS),
          total
        })}
      </Text>
      <Button variant="default" disabled={page >= last} onClick={() => onGo(page + 1)}>
        {t("usage.history.next")}
      </Button>
    </nav>
  )
}

interface ExportButtonProps {
  readonly filter: HistoryFilter
  readonly isDisabled: boolean
}

/** A button that saves all pages of the filtered history. */
const ExportButton = ({ filter, isDisabled }: ExportButtonProps) => {
  const { t } = useMessages()
  const [isReading, setReading] = useState(false)
  const [exported, setExported] = useState<number>()
  const [problem, setProblem] = useState<unknown>()
  const save = async () => {
    setReading(true)
    setProblem(undefined)
    setExported(undefined)
    try {
      const rows = await readWholeHistory(filter)
      saveFile(`credits-${filter}-${new Date().toISOString().slice(0, 10)}.csv`, "text/csv", historyCsv(rows))
      setExported(rows.length)
    } catch (error) {
      setProblem(error)
    } finally {
      setReading(false)
    }
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        loading={isReading}
        disabled={isDisabled}
        onClick={() => void save()}
      >
        {t("usage.history.export")}
      </Button>
      <span role="status" className="visually-hidden">
        {exported !== undefined && t("usage.history.exported", { count: exported })}
      </span>
      {problem !== undefined && <ProblemNotice error={problem} onDismiss={() => setProblem(undefined)} />}
    </>
  )
}
