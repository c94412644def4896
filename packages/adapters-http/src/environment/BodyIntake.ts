import { Context } from "effect"
import { type BodyMemory, makeBodyMemory } from "../body/BodyMemory.ts"
import { JsonThread } from "../body/JsonThread.ts"
import { type BodyPace, DEFAULT_BODY_PACE } from "../body/watchArrival.ts"

/** What request bodies are read with. */
export class BodyIntake extends Context.Service<
  BodyIntake,
  {
    /** What JSON bodies may keep in memory together. */
    readonly json: BodyMemory
    /** The same for uploads. */
    readonly uploads: BodyMemory
    /** The least throughput of a body. */
    readonly pace: BodyPace
    /** Parses what is large. */
    readonly jsonThread: JsonThread
  }
>()("@parley/adapters-http/environment/BodyIntake") {}

export interface BodyIntakeOptions {
  /**
   * What uploads may keep in memory together, in bytes: 256 MiB unless given, of which one person has a quarter. Those
   * that do not fit wait.
   */
  readonly uploadMemoryBytes?: number | undefined
  /** The same for JSON bodies, the large ones until they are answered: 64 MiB unless given; one person has a sixteenth. */
  readonly jsonMemoryBytes?: number | undefined
  /** The least throughput of a body; slower ones are answered 408, and those that wait too long for memory 503. 20 KiB in each ten seconds unless given. */
  readonly bodyPace?: BodyPace | undefined
}

const UPLOAD_MEMORY_BYTES = 256 * 1024 * 1024
const JSON_MEMORY_BYTES = 64 * 1024 * 1024
/** What one person's bodies may keep, as a part of the whole. */
const PERSON_SHARES = { json: 1 / 16, uploads: 1 / 4 }

const memoryOf = (totalBytes: number, personShare: number) =>
  makeBodyMemory({ totalBytes, personBytes: totalBytes * personShare })

export const makeBodyIntake = (options: BodyIntakeOptions): BodyIntake["Service"] => ({
  json: memoryOf(options.jsonMemoryBytes ?? JSON_MEMORY_BYTES, PERSON_SHARES.json),
  uploads: memoryOf(options.uploadMemoryBytes ?? UPLOAD_MEMORY_BYTES, PERSON_SHARES.uploads),
  pace: options.bodyPace ?? DEFAULT_BODY_PACE,
  jsonThread: new JsonThread()
})
