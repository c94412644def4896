/** The contracts of the stores that move most, over two cells. */
import {
  chatStoreContract,
  creditLedgerContract,
  documentStoreContract,
  jobQueueContract,
  outboxContract,
  unitOfWorkContract
} from "@parley/core/testing"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"
import { skipWhatCannotHold } from "./cannotHold.ts"
import { inEachCell, routedStores } from "./routedStores.ts"

skipWhatCannotHold()

for (const { layer, name } of databases.slice(-1)) {
  const routed = builtOnce(routedStores(2, layer))
  const title = `${name}, two cells`
  chatStoreContract(title, routed, ({ chatId }, ms) =>
    inEachCell(
      "UPDATE {{schema}}.chats SET updated_at = updated_at - $2::float8 * interval '1 millisecond' WHERE id = $1",
      [chatId, ms]
    )
  )
  creditLedgerContract(title, routed, 2)
  documentStoreContract(title, routed)
  jobQueueContract(title, routed, 1)
  outboxContract(title, routed)
  unitOfWorkContract(title, routed)
}
