import { Context } from "effect"
import { type BodyMemory, makeBodyMemory } from "../body/BodyMemory.ts"
import { type BodyPace, DEFAULT_BODY_PACE } from "../body/watchArrival.ts"

/** The resources for reading request bodies. */
export class BodyIntake extends Context.Service<
  BodyIntake,
  {
    /** Memory of all JSON bodies together. */
    readonly json: BodyMemory
    /** The same for uploads. */
    readonly uploads: BodyMemory
    /** The least throughput of a body. */
    readonly pace: BodyPace
  }
>()("@parley/adapters-http/environment/BodyIntake") {}

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
/** The share of one person's bodies in the whole memory. */
const PERSON_SHARES = { json: 1 / 16, uploads: 1 / 4 }

const memoryOf = (totalBytes: number, personShare: number) =>
  makeBodyMemory({ totalBytes, personBytes: totalBytes * personShare })

export const makeBodyIntake = (options: BodyIntakeOptions): BodyIntake["Service"] => ({
  json: memoryOf(options.jsonMemoryBytes ?? JSON_MEMORY_BYTES, PERSON_SHARES.json),
  uploads: memoryOf(options.uploadMemoryBytes ?? UPLOAD_MEMORY_BYTES, PERSON_SHARES.uploads),
  pace: options.bodyPace ?? DEFAULT_BODY_PACE
})
