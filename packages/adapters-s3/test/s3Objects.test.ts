import { mkdtempSync, rmSync } from "node:fs"
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseS3Url, s3Objects } from "../src/index.ts"
import type { Objects } from "@parley/core/adapter"
import { objectStoreContract } from "@parley/core/testing"
import { Effect, Redacted } from "effect"
import S3rver from "s3rver"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "parley-s3-"))
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory: folder,
  configureBuckets: [{ name: "documents", configs: [] }]
})
let endpoint = ""
beforeAll(async () => {
  const { address, port } = await server.run()
  endpoint = `http://${address}:${port}`
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const credentials = { accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") }
const place = { bucket: "documents", prefix: "parley/" }
const objects = (): Objects => s3Objects({ ...place, ...credentials, endpoint })

objectStoreContract("an S3 server", objects)

const signatureOf = ({ headers }: IncomingMessage) => /Signature=([0-9a-f]{64})/.exec(headers.authorization ?? "")?.[1]

/** The signature of a request by Signature Version 4, as its service computes it. */
const signatureFor = ({ headers, method, url = "" }: IncomingMessage, secret: string, region: string): string => {
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()
  const names = (/SignedHeaders=([a-z0-9;-]+)/.exec(headers.authorization ?? "")?.[1] ?? "").split(";")
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, url, "", lines.join(""), names.join(";"), headers["x-amz-content-sha256"]].join("\n")
  const moment = String(headers["x-amz-date"])
  const scope = [moment.slice(0, 8), region, "s3", "aws4_request"]
  const digest = createHash("sha256").update(canonical).digest("hex")
  const key = scope.reduce<string | Buffer>((derived, part) => hmac(derived, part), `AWS4${secret}`)
  return hmac(key, ["AWS4-HMAC-SHA256", moment, scope.join("/"), digest].join("\n")).toString("hex")
}

/** A service that answers with the given statuses in turn; counts requests. */
const scripted = async (statuses: ReadonlyArray<number>, use: (url: string, asked: () => number) => Promise<void>) => {
  let asked = 0
  const service: Server = createServer((request, response) => {
    request.resume()
    const status = statuses[asked++] ?? 200
    if (status === 0) return response.destroy()
    response.writeHead(status, status === 307 ? { location: "http://127.0.0.1:1/" } : {})
    response.end("<Error><Message>secret words of the vendor</Message></Error>")
  })
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, () => asked)
  } finally {
    service.closeAllConnections()
    await new Promise((resolve) => service.close(resolve))
  }
}

describe("objects in S3", () => {
  it("are asked for with a signature over method, place, headers and the digest of what is sent", async () => {
    const bytes = new Uint8Array([1, 2, 3])
    const asked: Array<IncomingMessage> = []
    const service = createServer((request, response) => {
      asked.push(request)
      request.resume()
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const signing = s3Objects({ ...place, ...credentials, endpoint: url, region: "eu-central-1" })
    await Effect.runPromise(signing.put("a key", bytes))
    await Effect.runPromise(signing.readSome("a key", 5, 10))
    await new Promise((resolve) => service.close(resolve))
    expect(asked.map(({ method, url }) => [method, url])).toEqual([
      ["PUT", "/documents/parley/a%20key"],
      ["GET", "/documents/parley/a%20key"]
    ])
    expect(asked[0]?.headers["x-amz-content-sha256"]).toBe(createHash("sha256").update(bytes).digest("hex"))
    expect(asked[1]?.headers.range).toBe("bytes=5-14")
    for (const request of asked) expect(signatureOf(request)).toBe(signatureFor(request, "S3RVER", "eu-central-1"))
    for (const request of asked) expect(signatureOf(request)).not.toBe(signatureFor(request, "other", "eu-central-1"))
  })

  it("are asked for again where an answer may pass, and not where it stays", () =>
    scripted([503, 0, 500, 200], async (url, asked) => {
      const patient = s3Objects({ ...place, ...credentials, endpoint: url })
      await Effect.runPromise(patient.put("key", new Uint8Array([1])))
      expect(asked()).toBe(4)
    }))

  it.each([400, 403, 409, 307, 404])("fail at once where the service answers %d to a write", (status) =>
    scripted([status, status], async (url, asked) => {
      const refused = s3Objects({ ...place, ...credentials, endpoint: url, retries: 0 })
      const failure = await Effect.runPromise(Effect.flip(refused.put("key", new Uint8Array([1]))))
      expect(failure._tag).toBe("StorageFailed")
      expect(JSON.stringify(failure) + String(failure.cause)).not.toContain("secret words")
      expect(asked()).toBe(1)
    })
  )
})

describe("a files URL", () => {
  it("says bucket, prefix, region and endpoint", () => {
    const plain = { bucket: "acme-documents", prefix: "", region: undefined, endpoint: undefined }
    expect(parseS3Url("s3://acme-documents")).toEqual(plain)
    expect(parseS3Url("s3://acme-documents/")).toEqual(plain)
    expect(parseS3Url("s3://acme-documents/a/b?region=eu-central-1&endpoint=https://minio.example.com:9000")).toEqual({
      bucket: "acme-documents",
      prefix: "a/b/",
      region: "eu-central-1",
      endpoint: "https://minio.example.com:9000"
    })
  })

  it.each([
    "acme",
    "https://acme",
    "s3://",
    "s3://A_B",
    "s3://key:secret@acme-documents",
    "s3://acme-documents?regio=eu",
    "s3://acme-documents?region=EU Central",
    "s3://acme-documents?endpoint=minio.example.com",
    "s3://acme-documents?endpoint=http://minio.example.com",
    "s3://acme-documents?endpoint=https://user:word@minio.example.com",
    "s3://acme-documents#part"
  ])("is refused where it is %s", (text) => {
    expect(parseS3Url(text)).toBeUndefined()
  })
})
