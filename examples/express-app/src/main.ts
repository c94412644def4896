import type { AddressInfo } from "node:net"
import pg from "pg"
import { openApp } from "./app.ts"

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 5 })
await pool.query("CREATE TABLE sessions (token text PRIMARY KEY, person text NOT NULL)")
await pool.query("CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person text NOT NULL)")
await pool.query("INSERT INTO sessions VALUES ('anns', 'ann')")

const server = (await openApp(pool, "http://127.0.0.1:3000")).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const headers = { cookie: "session=anns", "content-type": "application/json" }
const balance = async () =>
  ((await (await fetch(`${url}/api/billing/balance`, { headers })).json()) as { available: number }).available
const order = async (credits: number) => {
  const answer = await fetch(`${url}/orders`, { method: "POST", headers, body: JSON.stringify({ credits }) })
  return [answer.status, await answer.json()]
}

console.log(await balance())
console.log(await order(500))
console.log(await order(-500))
console.log(await balance())
const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] })
console.log((await (await fetch(`${url}/api/chat`, { method: "POST", headers, body })).text()).length > 0)
console.log((await pool.query("SELECT count(*)::int AS orders FROM orders")).rows)
process.exit()
