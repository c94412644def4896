import { BodyMemory } from "./BodyMemory.ts"

/** The lowest throughput of a body: this many bytes in each window of time, or its end. */
export interface BodyPace {
  readonly windowMs: number
  readonly bytesPerWindow: number
  /** Longest total wait of a body for memory; default 15 seconds. */
  readonly heldBackMs?: number | undefined
}

/** The resources for reading request bodies. */
export interface BodyIntake {
  /** Memory of all JSON bodies together. */
  readonly json: BodyMemory
  /** The same for uploads. */
  readonly uploads: BodyMemory
  readonly pace: BodyPace
}

export interface BodyIntakeOptions {
  /**
   * Memory of all uploads together, in bytes; default 256 MiB, of which one person has a quarter. Uploads beyond it
   * wait.
   */
  readonly uploadMemoryBytes?: number | undefined
  /**
   * The same for JSON bodies, the large ones until their response; default 64 MiB, of which one person has a
   * sixteenth.
   */
  readonly jsonMemoryBytes?: number | undefined
  /**
   * The lowest throughput of a body; default 20 KiB in each ten seconds. Slower bodies get 408, and those that wait
   * too long for memory 503.
   */
  readonly bodyPace?: BodyPace | undefined
}

const UPLOAD_MEMORY_BYTES = 256 * 1024 * 1024
const JSON_MEMORY_BYTES = 64 * 1024 * 1024
/** A slow phone's line brings ten times as much. */
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
