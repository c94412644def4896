import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { documentsQuery } from "../../api/documents.ts"
import { parley } from "../../api/parley.ts"
import type { Conversation } from "../Conversation.ts"

export interface Upload {
  readonly name: string
  /** The part of the file that was sent, from 0 to 1. */
  readonly part: number
}

export type Uploading = ReturnType<typeof useUpload>

/** Uploads files, and attaches each to a conversation as soon as the server has stored it. */
export const useUpload = (conversation: Conversation) => {
  const queryClient = useQueryClient()
  const [uploads, setUploads] = useState<ReadonlyArray<Upload>>([])
  const [problem, setProblem] = useState<unknown>()
  const uploadOne = async (file: File) => {
    const onProgress = (part: number) =>
      setUploads((before) => [...before.filter(({ name }) => name !== file.name), { name: file.name, part }])
    onProgress(0)
    try {
      const { documentId } = await parley.documents.upload(file, { onProgress })
      await conversation.choose([...(conversation.facts().documentIds ?? []), documentId])
      await queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey })
    } catch (error) {
      setProblem(error)
    } finally {
      setUploads((before) => before.filter(({ name }) => name !== file.name))
    }
  }
  const upload = async (files: ReadonlyArray<File>) => {
    setProblem(undefined)
    for (const file of files) await uploadOne(file)
  }
  return { upload, uploads, problem }
}
