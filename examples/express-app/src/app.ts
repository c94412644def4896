import { runtimeOf } from "@parley/core/effect"
import { openDatabase } from "@parley/adapters-db"
import { parleyRouter } from "@parley/adapters-http"
import { chatModels } from "@parley/adapters-llm"
import { createParley, errorStatuses, isParleyError } from "@parley/core"
import express, { type Express, type NextFunction, type Request, type Response } from "express"
import type pg from "pg"
import { personOf } from "./personOf.ts"

export const openApp = async (pool: pg.Pool, baseUrl: string): Promise<Express> => {
  const parley = await createParley({ ...(await openDatabase({ pool })), models: chatModels() })
  const app = express()
  app.use(parleyRouter({ runtime: runtimeOf(parley), baseUrl, authenticate: (request) => personOf(pool, request) }))
  app.post("/orders", express.json(), async (request, response) => {
    const person = await personOf(pool, request)
    if (person === undefined) return void response.sendStatus(401)
    const order = await parley.transaction(pool, async (tx, credits) => {
      const { rows } = await tx.query("INSERT INTO orders (person) VALUES ($1) RETURNING id", [person.userId])
      const key = `order-${rows[0].id}`
      await credits.grant({ userId: person.userId, amount: request.body.credits, key })
      return rows[0].id
    })
    response.status(201).json({ order })
  })
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (!isParleyError(error)) return next(error)
    response.status(errorStatuses[error.code]).json({ code: error.code })
  })
  return app
}
