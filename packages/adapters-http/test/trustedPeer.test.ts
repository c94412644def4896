import type { IncomingMessage } from "node:http"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { trustedPeer, type TrustProxy } from "../src/node/parleyListener.ts"

/** A request from an address, as Node represents it, with the header that proxies add. */
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  }) as unknown as IncomingMessage

const CLIENT = "203.0.113.7"
const PROXY = "10.0.0.1"

describe("the address a request came from", () => {
  test.each([
    ["no proxy", undefined, from(CLIENT, "198.51.100.1"), CLIENT],
    ["none of no proxies", 0, from(CLIENT, "198.51.100.1"), CLIENT],
    ["what one proxy saw", 1, from(PROXY, `198.51.100.1, ${CLIENT}`), CLIENT],
    ["what the outer of two proxies saw", 2, from(PROXY, `198.51.100.1, ${CLIENT}, 10.0.0.2`), CLIENT],
    ["what a named proxy saw", "10.0.0.0/8", from(PROXY, `198.51.100.1, ${CLIENT}`), CLIENT],
    ["itself, where it is no named proxy", "10.0.0.0/8", from(CLIENT, "198.51.100.1"), CLIENT],
    ["the proxy, where that reports nothing", 1, from(PROXY), PROXY],
    ["nothing, over a socket without addresses", "loopback", from(undefined), ""]
  ] as const)("is that of %s", (_, trust, request, address) => {
    expect(trustedPeer(trust)(request)).toBe(address)
  })

  test("is never a text of the client", () => {
    const proxied: ReadonlyArray<readonly [TrustProxy | undefined, string]> = [
      [1, PROXY],
      ["10.0.0.0/8", PROXY]
    ]
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant("10.0.0.2")), (written) => {
        expect(trustedPeer(undefined)(from(CLIENT, written))).toBe(CLIENT)
        for (const [trust, proxy] of proxied) {
          expect(trustedPeer(trust)(from(proxy, `${written}, ${CLIENT}`))).toBe(CLIENT)
        }
      })
    )
  })
})
