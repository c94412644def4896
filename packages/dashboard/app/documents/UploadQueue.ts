import { type Me, ParleyError } from "@parley/client"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { documentsQuery } from "../api/documents.ts"
import { hasStatus, mayPass, parley } from "../api/parley.ts"
import { chosenDocuments } from "./chosenDocuments.ts"

/** A file that is being uploaded, or whose upload was refused. */
export interface Upload {
  readonly id: number
  readonly name: string
  readonly bytes: number
  readonly state: "waiting" | "sending" | "refused"
  /** The part of the file that was sent, from 0 to 1. */
  readonly part: number
  /** The reason why the upload was refused. */
  readonly problem?: unknown
  /** True if another try with the same file may succeed. */
  readonly mayRetry?: boolean
}

/** The number of files that are uploaded at the same time; further files wait. */
const AT_ONCE = 3

export type UploadLimits = Pick<Me, "uploads">["uploads"]

const rejected = (problem: string) =>
  new ParleyError({ code: "file_rejected", message: "", status: 400, details: { problem } })

/**
 * The reason why the server would refuse a file, if it is known before the upload; undefined if the file may be sent.
 */
export const localProblem = ({ size }: Pick<File, "size">, { maxBytes }: UploadLimits): ParleyError | undefined =>
  size === 0 ? rejected("empty") : size > maxBytes ? rejected("too-large") : undefined

/** The uploads of one person. They continue while other pages are shown. */
export class UploadQueue {
  readonly #userId: string
  readonly #queryClient: QueryClient
  readonly #files = new Map<number, File>()
  readonly #cancels = new Map<number, AbortController>()
  readonly #listeners = new Set<() => void>()
  #uploads: ReadonlyArray<Upload> = []
  #lastId = 0
  /** The documents of the current batch of uploads, with which a new chat begins. */
  #batch: ReadonlyArray<string> = []

  constructor(userId: string, queryClient: QueryClient) {
    this.#userId = userId
    this.#queryClient = queryClient
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  readonly uploads = (): ReadonlyArray<Upload> => this.#uploads

  add(files: ReadonlyArray<File>, limits: UploadLimits): void {
    if (!this.#uploads.some(({ state }) => state === "waiting" || state === "sending")) this.#batch = []
    const added = files.map((file): Upload => {
      const id = ++this.#lastId
      this.#files.set(id, file)
      const problem = localProblem(file, limits)
      const common = { id, name: file.name, bytes: file.size, part: 0 }
      return problem === undefined ? { ...common, state: "waiting" } : { ...common, state: "refused", problem }
    })
    this.#set([...this.#uploads, ...added])
    this.#sendNext()
  }

  retry(id: number): void {
    this.#change(id, { state: "waiting", part: 0 })
    this.#sendNext()
  }

  /** Cancels an upload, or removes a refused one from the list. */
  remove(id: number): void {
    this.#cancels.get(id)?.abort()
    this.#forget(id)
    this.#sendNext()
  }

  #set(uploads: ReadonlyArray<Upload>): void {
    this.#uploads = uploads
    for (const changed of this.#listeners) changed()
  }

  #change(id: number, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))
  }

  #forget(id: number): void {
    this.#files.delete(id)
    this.#cancels.delete(id)
    this.#set(this.#uploads.filter((upload) => upload.id !== id))
  }

  #sendNext(): void {
    while (this.#uploads.filter(({ state }) => state === "sending").length < AT_ONCE) {
      const next = this.#uploads.find(({ state }) => state === "waiting")
      const file = next && this.#files.get(next.id)
      if (next === undefined || file === undefined) return
      this.#change(next.id, { state: "sending" })
      void this.#send(next.id, file)
    }
  }

  async #send(id: number, file: File): Promise<void> {
    const cancel = new AbortController()
    this.#cancels.set(id, cancel)
    try {
      const onProgress = (part: number) => this.#change(id, { part })
      const { documentId } = await parley.documents.upload(file, { onProgress, signal: cancel.signal })
      this.#batch = [...this.#batch, documentId]
      chosenDocuments.keep(this.#userId, this.#batch)
      await this.#queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey })
      this.#forget(id)
    } catch (problem) {
      // If the upload was cancelled, it is already removed from the list and this changes nothing.
      this.#change(id, { state: "refused", problem, mayRetry: mayPass(problem) })
      if (hasStatus(problem, 401)) await this.#queryClient.invalidateQueries()
    } finally {
      this.#sendNext()
    }
  }
}

const queues = new Map<string, UploadQueue>()

/** The uploads of a person, and the actions on them. */
export const useUploads = (userId: string) => {
  const queryClient = useQueryClient()
  const queue = queues.get(userId) ?? new UploadQueue(userId, queryClient)
  queues.set(userId, queue)
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads)
  return { queue, uploads }
}
