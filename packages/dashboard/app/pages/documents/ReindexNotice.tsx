import type { Reindexing } from "@parley/client"
import { Button } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { failureSentence } from "../../documents/failure.ts"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { ProgressBar } from "./ProgressBar.tsx"
import { parley } from "../../api/parley.ts"
import { isReindexing, reindexingQuery, useReindexMessages } from "./reindexing.ts"
import classes from "./ReindexNotice.module.css"

/**
 * A notice about documents with an outdated index: their number, the cost of re-indexing them, a start button, and the
 * progress.
 */
export const ReindexNotice = () => {
  const { t } = useReindexMessages()
  const client = useQueryClient()
  const { data } = useQuery(reindexingQuery)
  const [hasStarted, setStarted] = useState(false)
  const start = useMutation({
    mutationFn: () => parley.call("reindexDocuments", {}),
    onSuccess: () => setStarted(true),
    onSettled: () => client.invalidateQueries({ queryKey: reindexingQuery.queryKey })
  })
  if (data === undefined) return null
  const isDone = data.outdated === 0 && !isReindexing(data)
  if (isDone) return hasStarted ? <p role="status">{t("documents.reindex.done")}</p> : null
  return (
    <section className={classes.notice} aria-label={t("documents.reindex")}>
      <State state={data} />
      {start.error !== null && <ProblemNotice error={start.error} onDismiss={start.reset} />}
      {!isReindexing(data) && (
        <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
          {t(actionOf(data))}
        </Button>
      )}
    </section>
  )
}

const actionOf = ({ failed, outdated, work }: Reindexing) =>
  work === "stopped"
    ? "documents.reindex.continue"
    : outdated === failed
      ? "documents.retry"
      : "documents.reindex.start"

const WorkWords = ({ state }: { readonly state: Reindexing }) => {
  const { t } = useReindexMessages()
  const { documents: total, outdated: count, outdatedPassages, passages, passagesInWork, work } = state
  const part = passages === 0 ? 0 : Math.min(1, (passages - outdatedPassages + passagesInWork) / passages)
  return (
    <>
      <p role="status">
        {work === "waiting" ? t("documents.reindex.waiting") : t("documents.reindex.running", { count, total })}
      </p>
      <ProgressBar label={t("documents.reindex.progress")} part={part} />
      <p className={classes.quiet}>{t("documents.reindex.meanwhile")}</p>
    </>
  )
}

const State = ({ state }: { readonly state: Reindexing }) => {
  const { t } = useReindexMessages()
  if (isReindexing(state)) return <WorkWords state={state} />
  const { documents: total, failed, outdated: count, work } = state
  return (
    <>
      {count > failed && <p>{t("documents.reindex.outdated", { count, total })}</p>}
      {count > failed && (
        <p className={classes.quiet}>
          {t(work === "stopped" ? "documents.reindex.stopped" : "documents.reindex.text")}
        </p>
      )}
      {failed > 0 && <Failures state={state} />}
    </>
  )
}

/** The largest number of failures that are listed; further ones are counted. */
const LISTED = 10

const Failures = ({ state: { failed, failures } }: { readonly state: Reindexing }) => {
  const messages = useReindexMessages()
  return (
    <>
      <p>{messages.t("documents.reindex.failed", { count: failed })}</p>
      <ul className={classes.failures}>
        {failures.slice(0, LISTED).map(({ documentId, filename, reasonCode }) => (
          <li key={documentId}>
            {filename}: {failureSentence({ reason: null, reasonCode }, messages)}
          </li>
        ))}
      </ul>
    </>
  )
}
