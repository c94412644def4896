export * from "./chatModelContract.ts"
export * from "./creditFixtures.ts"
export * from "./creditLedgerContract.ts"
