import { sessionVerifierContract } from "@parley/core/testing"
import { afterAll } from "vitest"
import { JwksSessionVerifier } from "../../src/index.ts"
import { ALGORITHMS, KeyServer, makeKey } from "../support/KeyServer.ts"

const servers: Array<KeyServer> = []
afterAll(() => Promise.all(servers.map((server) => server.down())))

for (const algorithm of ALGORITHMS) {
  sessionVerifierContract(algorithm, async () => {
    const key = await makeKey(algorithm)
    const server = await KeyServer.start(key)
    servers.push(server)
    return {
      verifier: JwksSessionVerifier.make({ jwksUrl: server.jwksUrl, maxAgeSeconds: Number.MAX_SAFE_INTEGER }),
      issue: ({ userId, email, expiresAt }) =>
        key.sign({ sub: userId, exp: expiresAt / 1_000, ...(email === undefined ? {} : { email }) }),
      issueEndless: (userId) => key.sign({ sub: userId, exp: undefined as never })
    }
  })
}
