import type { TextName } from "../languages/Catalogue.ts"

/** A file that the visitor attached, with its state on the server. */
export interface AttachedFile {
  readonly name: string
  /** `sending`: the server does not have the file yet. `refused`: the server did not store it. */
  readonly state: "sending" | "processing" | "ready" | "failed" | "refused"
  /** The name of the sentence about the file. */
  readonly words: TextName
  /** The wait that the sentence names, in seconds. */
  readonly waitSeconds?: number
}

/** The largest file that the server accepts from visitors, in bytes. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

type Fields = Readonly<Record<string, unknown>>

/** The sentences for the reasons why the server could not read a file. */
const FAILURES: Readonly<Record<string, TextName>> = {
  password: "fileLocked",
  scan: "fileNoText",
  no_text: "fileNoText",
  damaged: "fileDamaged",
  incomplete: "fileDamaged",
  encoding: "fileDamaged",
  too_long: "fileTooLong",
  too_costly: "fileTooLong"
}

/** The sentences for the reasons why the server refused a file: by the code of its response, or by the broken rule. */
const REFUSALS: Readonly<Record<string, TextName>> = {
  visitor_uploads_off: "fileOff",
  too_many_conversation_files: "fileTooMany",
  no_room_for_file: "fileNoRoom",
  payload_too_large: "fileTooLarge",
  empty: "fileNoText",
  "too-large": "fileTooLarge",
  "too-large-to-scan": "fileTooLarge",
  malware: "fileMalware"
}

/** Reads the state of a file from the server's response. */
export const fileFrom = (value: unknown): AttachedFile => {
  const { filename, reason, status } = Object(value) as Fields
  const name = typeof filename === "string" ? filename : ""
  if (status === "ready") return { name, state: "ready", words: "fileReady" }
  if (status === "processing") return { name, state: "processing", words: "fileReading" }
  return { name, state: "failed", words: FAILURES[String(reason)] ?? "fileFailed" }
}

/**
 * The state of a file that the server refused with these details. `waitSeconds` is set if it may be sent again later.
 */
export const refusedFile = (name: string, details: unknown, waitSeconds: number | undefined): AttachedFile => {
  const { code, problem } = Object(details) as Fields
  if (waitSeconds !== undefined) return { name, state: "refused", words: "fileLimit", waitSeconds }
  const broken = code === "file_rejected" ? (REFUSALS[String(problem)] ?? "fileKind") : REFUSALS[String(code)]
  return { name, state: "refused", words: broken ?? "fileUnsent" }
}
