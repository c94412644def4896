export * from "./chatModels.ts"
export * from "./offline/OfflineChatModel.ts"
export * from "./offline/offlineBehaviour.ts"
