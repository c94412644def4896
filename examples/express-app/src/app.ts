import { openDatabase } from "@parley/adapters-db"
import { parleyRouter } from "@parley/adapters-http"
import { chatModels } from "@parley/adapters-llm"
import { createParley } from "@parley/core"
import express, { type Express } from "express"
import type pg from "pg"
import { personOf } from "./personOf.ts"

export const openApp = async (pool: pg.Pool, baseUrl: string): Promise<Express> => {
  const parley = await createParley({ ...(await openDatabase({ pool })), models: chatModels() })
  const app = express()
  app.use(parleyRouter({ runtime: parley.runtime, baseUrl, authenticate: (request) => personOf(pool, request) }))
  app.post("/orders", async (request, response) => {
    const person = await personOf(pool, request)
    if (person === undefined) return void response.sendStatus(401)
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      const { rows } = await client.query("INSERT INTO orders (person) VALUES ($1) RETURNING id", [person.userId])
      const key = `order-${rows[0].id}`
      await parley.in(client).credits.grant({ userId: person.userId, amount: 500, key })
      await client.query("COMMIT")
      response.status(201).json({ order: rows[0].id })
    } finally {
      client.release()
    }
  })
  return app
}
