import { RateLimiter } from "@parley/core/adapter"
import { rateLimiterContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { createClient, type RedisClientType } from "redis"
import { redisRateLimiter } from "../src/redisRateLimiter.ts"

const connected = Effect.acquireRelease(
  Effect.promise(async () => {
    const client = createClient({ url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379" })
    await client.connect()
    return client as RedisClientType
  }),
  (client) => Effect.promise(() => client.close())
)

rateLimiterContract("Redis", Layer.effect(RateLimiter, Effect.map(connected, redisRateLimiter)))
