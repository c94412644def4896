import type { TextName } from "../languages/Catalogue.ts"

/** A file that the visitor attached, as the service knows it. */
export interface AttachedFile {
  readonly name: string
  /** `sending`: the service does not have it yet. `refused`: it was not stored. */
  readonly state: "sending" | "processing" | "ready" | "failed" | "refused"
  /** The sentence about it. */
  readonly words: TextName
  /** The wait that the words name, in seconds. */
  readonly waitSeconds?: number
}

/** The most bytes of a file that the service takes from visitors. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

type Fields = Readonly<Record<string, unknown>>

/** Why the service could not read a file. */
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

/** Why the service did not take a file, by the code of its answer, then by the rule that the file broke. */
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

/** Reads the service's state of a file. */
export const fileFrom = (value: unknown): AttachedFile => {
  const { filename, reason, status } = Object(value) as Fields
  const name = typeof filename === "string" ? filename : ""
  if (status === "ready") return { name, state: "ready", words: "fileReady" }
  if (status === "processing") return { name, state: "processing", words: "fileReading" }
  return { name, state: "failed", words: FAILURES[String(reason)] ?? "fileFailed" }
}

/** The file that the service refused with these details; `waitSeconds` if it may be sent again later. */
export const refusedFile = (name: string, details: unknown, waitSeconds: number | undefined): AttachedFile => {
  const { code, problem } = Object(details) as Fields
  if (waitSeconds !== undefined) return { name, state: "refused", words: "fileLimit", waitSeconds }
  const broken = code === "file_rejected" ? (REFUSALS[String(problem)] ?? "fileKind") : REFUSALS[String(code)]
  return { name, state: "refused", words: broken ?? "fileUnsent" }
}
