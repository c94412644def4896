import { openDocumentParser } from "@parley/adapters-documents"
import { chatModels, OpenAiChatModel } from "@parley/adapters-llm"
import { createParley } from "@parley/core"
import { openStorage } from "./storage.ts"

/** If no vendor's key is set, the offline model answers: it only quotes documents. */
const models = () => {
  const apiKey = process.env["OPENAI_API_KEY"]
  return chatModels(apiKey ? { openai: new OpenAiChatModel({ apiKey }) } : {})
}

/** Opens the database and the document parser, and starts Parley with them; `close` stops all three. */
export const openParley = async () => {
  const storage = await openStorage()
  const { parser, close } = await openDocumentParser()
  const parley = await createParley({ ...storage, parser, models: models() })
  return {
    parley,
    close: async () => {
      await parley.close()
      await close()
      await storage.close()
    }
  }
}
