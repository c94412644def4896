import { crmRevoking } from "./crm/CrmRelease.ts"
import { documentsReindexing, everyonesReindexing } from "./documents/indexing/reindexing/reindexJobs.ts"
import { documentProcessing } from "./documents/reading/processDocument.ts"
import type { HandledJob, JobKind, JobOf } from "./jobs/JobKind.ts"
import { handoverMailing } from "./widget/handover/handoverMailJob.ts"
import { JobWorker } from "./jobs/JobWorker.ts"

/** All kinds of jobs with their handlers. A new kind is declared in its domain and added to this list. */
export const parleyJobs = [
  documentProcessing,
  documentsReindexing,
  everyonesReindexing,
  crmRevoking,
  handoverMailing
] as const

/** A job of any kind, distinguished by `_tag`, with its owner and its data. */
export type ParleyJob = JobOf<(typeof parleyJobs)[number]["kind"]>

type NeedsOf<Job> = Job extends HandledJob<JobKind, infer Needs> ? Needs : never

/** The worker for jobs of all kinds. */
export const parleyJobWorker = JobWorker.layerOf<NeedsOf<(typeof parleyJobs)[number]>>(parleyJobs)
