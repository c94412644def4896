import { inboxFaults } from "./inboxFaults.ts"

inboxFaults(true)
