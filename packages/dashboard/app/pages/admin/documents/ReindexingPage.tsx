import type { ReindexingEstimate, ReindexingFailureOfPerson, ServiceReindexing } from "@parley/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { everyonesReindexingQuery, reindexingEstimateQuery } from "../../../api/admin.ts"
import { typeWords } from "../../../documents/documentWords.ts"
import { failureSentence } from "../../../documents/failure.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { ProgressBar } from "../../documents/ProgressBar.tsx"
import { AdminFrame } from "../AdminFrame.tsx"
import { personPath } from "../personPath.ts"
import { Section, type Tile, Tiles } from "../Section.tsx"
import { Table } from "../Table.tsx"
import { type AdminMessages, useAdminMessages } from "../useAdminMessages.ts"
import { Waiting } from "../Waiting.tsx"
import { StartDialog } from "./StartDialog.tsx"

/**
 * The indexing of all people's documents: its state, the cost of the remaining documents, a button to start, progress
 * and failures.
 */
export const ReindexingPage = ({ mayAct }: { readonly mayAct: boolean }) => {
  const { t } = useAdminMessages()
  const { data: state, error, refetch } = useQuery(everyonesReindexingQuery)
  return (
    <AdminFrame title={t("admin.documents")} lead={t("admin.documents.lead")}>
      {state === undefined ? (
        <Waiting error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
          <Index state={state} mayAct={mayAct} />
          {state.outdated > 0 && <Cost />}
          <Groups state={state} />
          <Failures state={state} />
        </>
      )}
    </AdminFrame>
  )
}

interface PartProps {
  readonly state: ServiceReindexing
}

/** The largest number of jobs in one state that the server counts. */
const COUNTED = 100
const counted = ({ number }: AdminMessages, count: number): string =>
  count >= COUNTED ? `${number(COUNTED)}+` : number(count)

const tilesOf = (messages: AdminMessages, state: ServiceReindexing): ReadonlyArray<Tile> => {
  const { t, number } = messages
  const { documents, failed, jobs, outdated, outdatedPassages, passages, stopped } = state
  const passagesOf = (count: number) => t("admin.documents.passages", { count })
  return [
    { name: t("admin.documents.ready"), value: number(documents), remark: passagesOf(passages) },
    { name: t("admin.documents.outdated"), value: number(outdated), remark: passagesOf(outdatedPassages) },
    {
      name: t("admin.documents.failed"),
      value: number(failed),
      remark: failed > 0 ? t("admin.documents.failed.text") : undefined,
      isBad: failed > 0
    },
    {
      name: t("admin.documents.people"),
      value: counted(messages, jobs.running),
      remark:
        jobs.waiting > 0 ? t("admin.documents.people.waiting", { count: counted(messages, jobs.waiting) }) : undefined
    },
    ...(stopped.length === 0 || outdated === failed
      ? []
      : [
          {
            name: t("admin.documents.stopped"),
            value: counted(messages, stopped.length),
            remark: t("admin.documents.stopped.text"),
            isBad: true
          }
        ])
  ]
}

const Index = ({ mayAct, state }: PartProps & { readonly mayAct: boolean }) => {
  const messages = useAdminMessages()
  const { t } = messages
  const [isAsking, setAsking] = useState(false)
  const [hasStarted, setStarted] = useState(false)
  const { documents, jobs, outdated } = state
  const isWorking = jobs.running + jobs.waiting > 0
  return (
    <Section
      title={t("admin.documents.index")}
      text={mayAct ? undefined : t("admin.readOnly")}
      tools={
        mayAct &&
        outdated > 0 && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t("admin.documents.start")}
          </Button>
        )
      }
    >
      <Tiles tiles={tilesOf(messages, state)} />
      {isWorking && (
        <ProgressBar label={t("admin.documents.progress")} part={(documents - outdated) / Math.max(1, documents)} />
      )}
      <p role="status">
        {hasStarted && (outdated > 0 ? t("admin.documents.started") : t("admin.documents.groups.none"))}
      </p>
      {isAsking && (
        <StartDialog
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false)
            setStarted(true)
          }}
        />
      )}
    </Section>
  )
}

const Cost = () => {
  const { t } = useAdminMessages()
  const { data: estimate, error, refetch } = useQuery(reindexingEstimateQuery)
  return (
    <Section title={t("admin.documents.cost")} text={t("admin.documents.cost.text")}>
      {estimate === undefined ? (
        <Waiting error={error} onRetry={() => void refetch()} />
      ) : (
        <CostTiles estimate={estimate} />
      )}
    </Section>
  )
}

const CostTiles = ({ estimate: { embedder, tokens, usd } }: { readonly estimate: ReindexingEstimate }) => {
  const { t, number } = useAdminMessages()
  const unknown = t("admin.documents.unknown")
  return (
    <Tiles
      tiles={[
        {
          name: t("admin.documents.tokens"),
          value: tokens === null ? unknown : number(tokens),
          remark: embedder === null ? t("admin.documents.tokens.none") : t("admin.documents.tokens.to", { embedder })
        },
        {
          name: t("admin.documents.usd"),
          value: usd === null ? unknown : number(usd, { maximumFractionDigits: usd < 1 ? 4 : 2 }),
          remark: usd === null && tokens !== null ? t("admin.documents.usd.unknown") : undefined
        }
      ]}
    />
  )
}

const Groups = ({ state: { groups } }: PartProps) => {
  const messages = useAdminMessages()
  const { t, number } = messages
  const versions = ({ embedder, parser, version }: ServiceReindexing["groups"][number]["today"]) =>
    [
      embedder ?? t("admin.documents.wordsOnly"),
      ...(parser === null ? [] : [parser]),
      t("admin.documents.version", { version: version ?? "–" })
    ].join(", ")
  return (
    <Section title={t("admin.documents.groups")}>
      <Table
        label={t("admin.documents.groups")}
        rows={groups}
        keyOf={({ failed, indexedBy, type }) => `${type} ${String(failed)} ${JSON.stringify(indexedBy)}`}
        none={t("admin.documents.groups.none")}
        columns={[
          { name: t("admin.documents.kind"), cell: ({ type }) => typeWords(type, messages) },
          { name: t("admin.documents.number"), isNumber: true, cell: ({ documents }) => number(documents) },
          { name: t("admin.documents.by"), isLong: true, cell: ({ indexedBy }) => versions(indexedBy) },
          { name: t("admin.documents.today"), isLong: true, cell: ({ today }) => versions(today) }
        ]}
      />
    </Section>
  )
}

/** The people whose re-indexing stopped, and the documents that failed. */
const Failures = ({ state: { failed, failures, outdated, stopped } }: PartProps) => {
  const messages = useAdminMessages()
  const { t } = messages
  const rows: ReadonlyArray<Partial<ReindexingFailureOfPerson> & Pick<ReindexingFailureOfPerson, "userId">> = [
    ...(outdated > failed ? stopped.map((userId) => ({ userId })) : []),
    ...failures
  ]
  return (
    <Section title={t("admin.documents.failures")}>
      <Table
        label={t("admin.documents.failures")}
        rows={rows}
        keyOf={({ documentId, userId }) => documentId ?? userId}
        none={t("admin.documents.failures.none")}
        columns={[
          {
            name: t("admin.person"),
            isLong: true,
            cell: ({ userId }) => <Link to={personPath(userId)}>{userId}</Link>
          },
          {
            name: t("admin.documents.document"),
            isLong: true,
            cell: ({ documentId }) => documentId ?? t("admin.documents.rest")
          },
          {
            name: t("admin.reason"),
            cell: ({ reasonCode }) =>
              reasonCode === undefined
                ? t("admin.documents.stopped.text")
                : failureSentence({ reason: null, reasonCode }, messages)
          }
        ]}
      />
    </Section>
  )
}
