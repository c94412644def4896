import fc from "fast-check"
import { expect, test } from "vitest"
import { BodyMemory, type BodyShare } from "../src/body/BodyMemory.ts"

const KIB = 1024
const FREE = 16 * KIB
const CHUNK = 64 * KIB

interface Sender {
  readonly person: string
  readonly share: BodyShare
  sent: number
  state: "sending" | "waiting" | "refused"
}

/** Opens bodies of people and records the callbacks of each. */
const senders = (options: { totalBytes: number; personBytes: number }) => {
  const memory = new BodyMemory(options)
  const open = (person: string): Sender => {
    const sender: Sender = {
      person,
      sent: 0,
      state: "sending",
      share: memory.open(person, {
        onRoom: () => (sender.state = "sending"),
        onRefused: () => (sender.state = "refused")
      })
    }
    return sender
  }
  const send = (sender: Sender, bytes: number) => {
    sender.sent += bytes
    if (!sender.share.add(bytes) && sender.state === "sending") sender.state = "waiting"
  }
  return { memory, open, send }
}

test("bodies without arrived bytes reserve no memory", () => {
  const { memory, open, send } = senders({ totalBytes: 100 * KIB, personBytes: 50 * KIB })
  for (let index = 0; index < 1_000; index++) open("ann")
  const upload = open("bob")
  send(upload, 90 * KIB)
  expect(upload.state).toBe("sending")
  expect(memory.bytes).toBe(90 * KIB)
})

test("a person's bodies wait for each other beyond their share, and the oldest goes on", () => {
  const { open, send } = senders({ totalBytes: 1_000 * KIB, personBytes: 100 * KIB })
  const [first, second] = [open("ann"), open("ann")]
  send(second, 80 * KIB)
  send(first, 80 * KIB)
  expect([first.state, second.state]).toEqual(["sending", "sending"])
  send(second, 20 * KIB)
  send(first, 20 * KIB)
  expect([first.state, second.state]).toEqual(["sending", "waiting"])
  first.share.complete()
  expect(second.state).toBe("waiting")
  first.share.release()
  expect(second.state).toBe("sending")
})

test("a person below an equal share does not wait: the newest body of the person with the most memory gives way", () => {
  const { memory, open, send } = senders({ totalBytes: 200 * KIB, personBytes: 200 * KIB })
  const hoard = [open("ann"), open("ann"), open("ann"), open("ann")]
  for (const body of hoard) send(body, 50 * KIB)
  const upload = open("bob")
  send(upload, 60 * KIB)
  expect(upload.state).toBe("sending")
  expect(hoard.map(({ state }) => state)).toEqual(["sending", "sending", "refused", "refused"])
  expect(memory.bytes).toBeLessThanOrEqual(200 * KIB)
})

test("bodies that have arrived are not ended, and another body waits for them rather than keep more", () => {
  const { open, send } = senders({ totalBytes: 100 * KIB, personBytes: 100 * KIB })
  const done = open("ann")
  send(done, 100 * KIB)
  done.share.complete()
  const next = open("ann")
  send(next, 20 * KIB)
  expect([done.state, next.state]).toEqual(["sending", "waiting"])
  done.share.release()
  expect(next.state).toBe("sending")
})

test("for any bodies in any order, memory is bounded and returned, and one sender can always continue", () => {
  const action = fc.record({
    kind: fc.constantFrom("open", "send", "complete", "release"),
    at: fc.nat(),
    person: fc.constantFrom("ann", "bob", "eve"),
    bytes: fc.integer({ min: 1, max: CHUNK })
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      const [totalBytes, personBytes] = [400 * KIB, 200 * KIB]
      const { memory, open, send } = senders({ totalBytes, personBytes })
      const bodies: Array<Sender> = []
      const finished = new Set<Sender>()
      const waits = () => bodies.filter((body) => !finished.has(body) && body.state === "waiting")
      for (const { kind, at, person, bytes } of actions) {
        if (kind === "open") {
          bodies.push(open(person))
          continue
        }
        const body = bodies[at % Math.max(1, bodies.length)]
        if (body === undefined || body.state === "refused") continue
        if (kind === "send" && body.state === "sending" && !finished.has(body)) send(body, bytes)
        if (kind === "complete" && body.state === "sending") {
          finished.add(body)
          body.share.complete()
        }
        if (kind === "release") {
          bodies.splice(bodies.indexOf(body), 1)
          finished.delete(body)
          body.share.release()
        }
        const unfinished = bodies.filter((each) => !finished.has(each) && each.state !== "refused")
        const stuck = unfinished.length > 0 && unfinished.length === waits().length && finished.size === 0
        expect(stuck).toBe(false)
        // Twice if finished bodies cannot be refused, plus the oldest one, plus the data in transit of each body.
        const oldest = Math.max(0, ...bodies.map(({ sent }) => sent))
        expect(memory.bytes).toBeLessThanOrEqual(2 * totalBytes + oldest + bodies.length * (FREE + 2 * CHUNK))
      }
      for (const { share } of bodies) share.release()
      expect(memory.bytes).toBe(0)
    }),
    { numRuns: 300 }
  )
})
