import { BodyMemory } from "./BodyMemory.ts"

/**
 * The lowest accepted throughput of a body: in each window of time, this many bytes have to arrive, or the body has to
 * end.
 */
export interface BodyPace {
  readonly windowMs: number
  readonly bytesPerWindow: number
  /** Longest total time for which one body is paused until memory is free; default 15 seconds. */
  readonly heldBackMs?: number | undefined
}

/** The limits on memory and throughput with which request bodies are read. */
export interface BodyIntake {
  /** The memory that all JSON bodies share. */
  readonly json: BodyMemory
  /** The memory that all uploads share. */
  readonly uploads: BodyMemory
  readonly pace: BodyPace
}

export interface BodyIntakeOptions {
  /**
   * Memory of all uploads together, in bytes; default 256 MiB. One person has a quarter of it. Uploads beyond these
   * bounds wait.
   */
  readonly uploadMemoryBytes?: number | undefined
  /**
   * Memory of all JSON bodies together, in bytes; default 64 MiB. One person has a sixteenth of it. Large bodies count
   * until their response.
   */
  readonly jsonMemoryBytes?: number | undefined
  /**
   * The lowest accepted throughput of a body; default 20 KiB in each ten seconds. Slower bodies are answered with 408,
   * and bodies that wait too long for memory with 503.
   */
  readonly bodyPace?: BodyPace | undefined
}

const UPLOAD_MEMORY_BYTES = 256 * 1024 * 1024
const JSON_MEMORY_BYTES = 64 * 1024 * 1024
/** About a tenth of the throughput of a slow phone connection. */
const BODY_PACE: BodyPace = { windowMs: 10_000, bytesPerWindow: 20 * 1024 }

export const makeBodyIntake = ({
  bodyPace = BODY_PACE,
  jsonMemoryBytes = JSON_MEMORY_BYTES,
  uploadMemoryBytes = UPLOAD_MEMORY_BYTES
}: BodyIntakeOptions): BodyIntake => ({
  json: new BodyMemory({ totalBytes: jsonMemoryBytes, personBytes: jsonMemoryBytes / 16 }),
  uploads: new BodyMemory({ totalBytes: uploadMemoryBytes, personBytes: uploadMemoryBytes / 4 }),
  pace: bodyPace
})
