import type { Document, ParleyError } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { parleyError } from "./parleyError.ts"
import { useShared } from "./ParleyProvider.ts"
import { documentsQuery } from "./queries.ts"

/** A file that is being uploaded, or whose upload was refused. */
export interface Upload {
  readonly id: number
  readonly filename: string
  /** The part of the file that was sent, from 0 to 1. */
  readonly progress: number
  /** The reason why the upload was refused. The entry stays until `dismiss` is called. */
  readonly error: ParleyError | undefined
}

export interface DocumentsState {
  /** The documents, newest first, with their states; undefined until they are read. */
  readonly documents: ReadonlyArray<Document> | undefined
  /** The files that are being sent, and those that were refused. */
  readonly uploads: ReadonlyArray<Upload>
  /** The failure of the last read; undefined after a success. */
  readonly error: ParleyError | undefined
  /** Uploads a file. Resolves to the id of the document, or to undefined if the upload was refused. */
  readonly upload: (file: File) => Promise<string | undefined>
  /** Removes the entry of a refused upload from `uploads`. */
  readonly dismiss: (uploadId: number) => void
  /** Deletes a document. Rejects with a `ParleyError`. */
  readonly remove: (documentId: string) => Promise<void>
  readonly reload: () => void
}

let lastUpload = 0

/** The documents of the signed-in person. Their states are read again until no document is being processed. */
export const useDocuments = (): DocumentsState => {
  const { client, queryClient } = useShared()
  const { data: documents, error, refetch } = useQuery(documentsQuery(client), queryClient)
  const reload = useCallback(() => void refetch(), [refetch])
  const { dismiss, upload, uploads } = useUploads(reload)
  const remove = useCallback(
    async (documentId: string) => {
      await client.documents.delete(documentId)
      reload()
    },
    [client, reload]
  )
  return { documents, uploads, error: error ?? undefined, upload, dismiss, remove, reload }
}

const useUploads = (reload: () => void) => {
  const { client } = useShared()
  const [uploads, setUploads] = useState<ReadonlyArray<Upload>>([])
  const dismiss = useCallback((id: number) => setUploads((all) => all.filter((each) => each.id !== id)), [])
  const upload = useCallback(
    async (file: File) => {
      const id = ++lastUpload
      const change = (changed: Partial<Upload>) =>
        setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...changed } : each)))
      setUploads((all) => [...all, { id, filename: file.name, progress: 0, error: undefined }])
      try {
        const { documentId } = await client.documents.upload(file, { onProgress: (progress) => change({ progress }) })
        dismiss(id)
        reload()
        return documentId
      } catch (error) {
        change({ error: parleyError(error) })
        return undefined
      }
    },
    [client, dismiss, reload]
  )
  return { dismiss, upload, uploads }
}
