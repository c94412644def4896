/**
 * Contender (b): the usual code around contender (a). It reads the balance, which must be positive, and stores the chat
 * and the question; after the reply, one transaction stores the reply, the charge and the new balance.
 */
import { randomUUID } from "node:crypto"
import type { AddressInfo } from "node:net"
import express from "express"
import OpenAI from "openai"
import pg from "pg"

const client = new OpenAI({ apiKey: "sk-bench", baseURL: process.env["OPENAI_BASE_URL"], maxRetries: 0 })
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 10 })
pool.on("error", () => undefined)
await pool.query(`
  CREATE TABLE users (id text PRIMARY KEY, credits bigint NOT NULL);
  CREATE TABLE chats (id uuid PRIMARY KEY, user_id text NOT NULL REFERENCES users, title text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE messages (id uuid PRIMARY KEY, chat_id uuid NOT NULL REFERENCES chats, role text NOT NULL,
    content text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX ON messages (chat_id, created_at);
  CREATE TABLE charges (id uuid PRIMARY KEY, user_id text NOT NULL REFERENCES users, amount bigint NOT NULL,
    message_id uuid NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX ON charges (user_id, created_at);
  INSERT INTO users SELECT 'user-' || n, 1000000000 FROM generate_series(1, 64) AS n;
`)

const transaction = async (work: (connection: pg.PoolClient) => Promise<void>): Promise<void> => {
  const connection = await pool.connect()
  try {
    await connection.query("BEGIN")
    await work(connection)
    await connection.query("COMMIT")
  } catch (error) {
    await connection.query("ROLLBACK")
    throw error
  } finally {
    connection.release()
  }
}

const addMessage = (connection: pg.PoolClient, chatId: string, id: string, role: string, content: string) =>
  connection.query("INSERT INTO messages (id, chat_id, role, content) VALUES ($1, $2, $3, $4)", [
    id,
    chatId,
    role,
    content
  ])

const charge = async (userId: string, chatId: string, text: string, tokens: number): Promise<void> => {
  const messageId = randomUUID()
  const credits = Math.max(1, Math.ceil((tokens * 4) / 1000))
  await transaction(async (connection) => {
    await addMessage(connection, chatId, messageId, "assistant", text)
    await connection.query("UPDATE users SET credits = credits - $2 WHERE id = $1", [userId, credits])
    await connection.query("INSERT INTO charges (id, user_id, amount, message_id) VALUES ($1, $2, $3, $4)", [
      randomUUID(),
      userId,
      -credits,
      messageId
    ])
  })
}

const app = express()

app.post("/api/chat", express.json(), async (request, response) => {
  const userId = String(request.headers["x-user"])
  const { messages } = request.body
  const { rows } = await pool.query<{ credits: string }>("SELECT credits FROM users WHERE id = $1", [userId])
  if (Number(rows[0]?.credits) <= 0) return void response.status(402).end()
  const chatId = randomUUID()
  await transaction(async (connection) => {
    const question = String(messages.at(-1).content)
    await connection.query("INSERT INTO chats (id, user_id, title) VALUES ($1, $2, $3)", [chatId, userId, question])
    await addMessage(connection, chatId, randomUUID(), "user", question)
  })
  const leaving = new AbortController()
  response.once("close", () => leaving.abort())
  const stream = await client.chat.completions.create(
    { model: "fake", messages, stream: true, stream_options: { include_usage: true } },
    { signal: leaving.signal }
  )
  response.type("text/plain")
  let text = ""
  let tokens = 0
  for await (const { choices, usage } of stream) {
    const words = choices[0]?.delta.content
    tokens = usage?.completion_tokens ?? tokens
    if (!words) continue
    text += words
    response.write(words)
  }
  await charge(userId, chatId, text, tokens)
  response.end()
})

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
