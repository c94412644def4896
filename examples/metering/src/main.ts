import { createParley, openInMemory } from "@parley/core"
import { paint } from "./paint.ts"

const parley = await createParley(await openInMemory())
const order = { userId: "ann", key: "order-7", amount: 40, source: "meter:images" } as const
const paintAndTell = async () => {
  const images = await paint("a stork on a chimney", 3)
  return { result: images, lines: [{ label: "image", quantity: images.length, unitPrice: 8 }] }
}
for (const _try of ["first", "again"]) {
  const { receipt, replayed, result } = await parley.credits.meter(order, paintAndTell)
  console.log({ result, charged: receipt.charged, replayed, left: (await parley.credits.balance("ann")).available })
}
await parley.close()
