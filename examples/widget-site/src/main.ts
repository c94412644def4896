import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname } from "node:path"

// The site of a shop. All it knows of Parley is the address of the service and the public key of its bot.
const [publicKey = "", service = "http://localhost:3000", origins = service] = process.argv.slice(2)
if (!publicKey.startsWith("pk_"))
  throw new Error("Usage: main.ts <public key of a bot> [address of the service] [all its origins]")

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript" }
const pages: Readonly<Record<string, string>> = { "/": "index.html", "/shipping": "shipping.html" }
const files = ["index.html", "shipping.html", "site.css", "help.js"]
const site = new Map(files.map((name) => [name, readFileSync(new URL(`../site/${name}`, import.meta.url), "utf8")]))

/** The site must allow the service's script and its frame: no inline code, and no other origin. */
const policy = `default-src 'self'; script-src 'self' ${origins}; frame-src ${origins}`

const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname
  const name = pages[path] ?? path.slice(1)
  const file = site.get(name)
  if (file === undefined) return void response.writeHead(404).end()
  response.writeHead(200, {
    "content-type": `${types[extname(name)]}; charset=utf-8`,
    "content-security-policy": policy
  })
  response.end(file.replaceAll("{{service}}", service).replaceAll("{{publicKey}}", publicKey))
})

server.listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () => {
  const address = server.address()
  console.log(`The shop is open at http://localhost:${typeof address === "object" ? address?.port : ""}`)
})
process.once("SIGTERM", () => server.close())
